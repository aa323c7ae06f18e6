package scim

import (
	"net/http"

	"github.com/octavo-docs/octavo/internal/errs"
)

type object = map[string]any

// config returns the service provider configuration: the features of SCIM that are supported.
func (h *Handler) config(c *call) (answer, error) {
	no := object{"supported": false}
	return answer{http.StatusOK, object{
		"schemas": []string{schemaConfig},
		"patch":   object{"supported": true}, "bulk": object{"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
		"filter": object{"supported": true, "maxResults": maxCount}, "changePassword": no, "sort": no, "etag": no,
		"authenticationSchemes": []object{{
			"type": "oauthbearertoken", "name": "Token", "primary": true,
			"description": "A token of an admin or of a service account with the role admin, as Authorization: Bearer.",
		}},
		"meta": meta{ResourceType: "ServiceProviderConfig", Location: c.base + "/ServiceProviderConfig"},
	}}, nil
}

func (c *call) types() map[string]object {
	of := func(name, path, schema string) object {
		return object{
			"schemas": []string{schemaType}, "id": name, "name": name, "endpoint": path, "schema": schema,
			"meta": meta{ResourceType: "ResourceType", Location: c.base + "/ResourceTypes/" + name},
		}
	}
	return map[string]object{"User": of("User", "/Users", schemaUser), "Group": of("Group", "/Groups", schemaGroup)}
}

func (h *Handler) resourceTypes(c *call) (answer, error) {
	t := c.types()
	return listed(pageRange{}, 2, []any{t["User"], t["Group"]}), nil
}

func (h *Handler) resourceType(c *call) (answer, error) {
	t, ok := c.types()[c.r.PathValue("id")]
	if !ok {
		return answer{}, errs.Missing("resource type")
	}
	return answer{http.StatusOK, t}, nil
}

// attribute describes an attribute of a schema. mutability is readWrite, immutable, readOnly or
// writeOnly.
func attribute(name, kind, mutability string, required, many bool, sub ...object) object {
	unique := "none"
	if name == "userName" {
		unique = "server"
	}
	a := object{
		"name": name, "type": kind, "multiValued": many, "required": required, "mutability": mutability,
		"returned": "default", "uniqueness": unique, "caseExact": name == "externalId",
	}
	if len(sub) > 0 {
		a["subAttributes"] = sub
	}
	return a
}

func (c *call) described() map[string]object {
	of := func(id, name string, attributes ...object) object {
		return object{
			"schemas": []string{schemaSchema}, "id": id, "name": name, "attributes": attributes,
			"meta": meta{ResourceType: "Schema", Location: c.base + "/Schemas/" + id},
		}
	}
	return map[string]object{
		schemaUser: of(schemaUser, "User",
			attribute("userName", "string", "immutable", true, false),
			attribute("externalId", "string", "readWrite", false, false),
			attribute("displayName", "string", "readWrite", false, false),
			attribute("name", "complex", "readWrite", false, false,
				attribute("formatted", "string", "readWrite", false, false),
				attribute("givenName", "string", "writeOnly", false, false),
				attribute("familyName", "string", "writeOnly", false, false)),
			attribute("emails", "complex", "readOnly", false, true, attribute("value", "string", "readOnly", false, false)),
			attribute("roles", "complex", "readWrite", false, true, attribute("value", "string", "readWrite", false, false)),
			attribute("active", "boolean", "readWrite", false, false)),
		schemaGroup: of(schemaGroup, "Group",
			attribute("displayName", "string", "readWrite", true, false),
			attribute("externalId", "string", "readWrite", false, false),
			attribute("members", "complex", "readWrite", false, true, attribute("value", "string", "immutable", true, false))),
	}
}

func (h *Handler) schemas(c *call) (answer, error) {
	d := c.described()
	return listed(pageRange{}, 2, []any{d[schemaUser], d[schemaGroup]}), nil
}

func (h *Handler) schema(c *call) (answer, error) {
	d, ok := c.described()[c.r.PathValue("id")]
	if !ok {
		return answer{}, errs.Missing("schema")
	}
	return answer{http.StatusOK, d}, nil
}

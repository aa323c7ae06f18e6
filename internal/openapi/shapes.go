package openapi

// textShape, flagShape, textsShape, listShape and mapShape return the shapes of simple
// values.
func textShape(name string) *shape {
	return &shape{name: name, kinds: []kind{text, number, boolean, null}}
}
func flagShape(name string) *shape { return &shape{name: name, kinds: []kind{boolean}} }
func textsShape(name string) *shape {
	return &shape{name: name, kinds: []kind{list}, each: &shape{name: "each of " + name, kinds: []kind{text, number}}}
}
func listShape(name string, of *shape) *shape {
	return &shape{name: name, kinds: []kind{list}, each: of}
}
func mapShape(name string, of *shape) *shape {
	return &shape{name: name, kinds: []kind{object}, each: of}
}

// methods are the keys of a path item that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// shapes returns the shape of the root of a description.
func shapes(version format) *shape {
	schema := schemaShape()
	tag := &shape{name: "a tag", kinds: []kind{object}, required: []string{"name"},
		fields: map[string]*shape{"name": textShape("the name of a tag"), "description": textShape("the description of a tag")}}
	info := &shape{name: `"info"`, kinds: []kind{object}, required: []string{"title", "version"}, fields: map[string]*shape{
		"title": textShape("the title"), "version": textShape("the version"), "description": textShape("the description"), "summary": textShape("the summary")}}
	requirement := &shape{name: "a security requirement", kinds: []kind{object}, each: textsShape("the scopes")}
	scheme := &shape{name: "a security scheme", kinds: []kind{object}, required: []string{"type"}, ref: true, rule: isScheme}
	root := &shape{name: "the description", kinds: []kind{object}, required: []string{"info"}, fields: map[string]*shape{
		"info": info, "tags": listShape(`"tags"`, tag), "security": listShape(`"security"`, requirement)}}

	var parts *operationParts
	if version == swagger2 {
		parts = swaggerParts(schema)
		root.fields["definitions"] = mapShape(`"definitions"`, schema)
		root.fields["parameters"] = mapShape(`"parameters"`, parts.parameter)
		root.fields["responses"] = mapShape(`"responses"`, parts.response)
		root.fields["securityDefinitions"] = mapShape(`"securityDefinitions"`, scheme)
		root.required = append(root.required, "paths")
	} else {
		parts = openAPIParts(schema)
		root.fields["servers"] = parts.servers
		root.fields["components"] = &shape{name: `"components"`, kinds: []kind{object}, fields: map[string]*shape{
			"schemas": mapShape(`"schemas"`, schema), "parameters": mapShape(`"parameters"`, parts.parameter),
			"responses": mapShape(`"responses"`, parts.response), "requestBodies": mapShape(`"requestBodies"`, parts.body),
			"headers": mapShape(`"headers"`, parts.header), "securitySchemes": mapShape(`"securitySchemes"`, scheme),
			"examples": mapShape(`"examples"`, &shape{name: "an example", kinds: []kind{object}, ref: true})}}
	}
	item := pathShape(parts, requirement)
	root.fields["paths"] = &shape{name: `"paths"`, kinds: []kind{object}, each: item, named: isPath}
	switch version {
	case openAPI31:
		root.fields["webhooks"] = mapShape(`"webhooks"`, item)
		root.rule = hasContent
	case openAPI30:
		root.fields["x-webhooks"] = mapShape(`"x-webhooks"`, item)
		root.required = append(root.required, "paths")
	}
	return root
}

// operationParts are the shapes of the parts of an operation. body and servers are nil
// for Swagger 2.0.
type operationParts struct{ parameter, response, body, header, servers *shape }

func swaggerParts(schema *shape) *operationParts {
	p := &operationParts{}
	p.parameter = &shape{name: "a parameter", kinds: []kind{object}, required: []string{"name", "in"}, ref: true, rule: isParameter,
		fields: map[string]*shape{"name": textShape("the name of a parameter"), "schema": schema, "required": flagShape(`"required"`),
			"description": textShape("the description of a parameter"), "items": schema, "enum": listShape(`"enum"`, nil)}}
	p.header = &shape{name: "a header", kinds: []kind{object}, ref: true}
	p.response = &shape{name: "a response", kinds: []kind{object}, ref: true, fields: map[string]*shape{
		"description": textShape("the description of a response"), "schema": schema, "headers": mapShape(`"headers"`, p.header)}}
	return p
}

func openAPIParts(schema *shape) *operationParts {
	p := &operationParts{}
	media := &shape{name: "a media type", kinds: []kind{object}, fields: map[string]*shape{
		"schema": schema, "examples": {name: `"examples"`, kinds: []kind{object, list}, each: &shape{name: "an example", ref: true}}}}
	content := mapShape(`"content"`, media)
	p.parameter = &shape{name: "a parameter", kinds: []kind{object}, required: []string{"name", "in"}, ref: true, rule: isParameter,
		fields: map[string]*shape{"name": textShape("the name of a parameter"), "schema": schema, "required": flagShape(`"required"`),
			"description": textShape("the description of a parameter"), "content": content, "deprecated": flagShape(`"deprecated"`)}}
	p.header = &shape{name: "a header", kinds: []kind{object}, ref: true, fields: map[string]*shape{"schema": schema, "content": content}}
	p.body = &shape{name: "a request body", kinds: []kind{object}, required: []string{"content"}, ref: true,
		fields: map[string]*shape{"content": content, "required": flagShape(`"required"`), "description": textShape("the description of a request body")}}
	p.response = &shape{name: "a response", kinds: []kind{object}, ref: true, fields: map[string]*shape{
		"description": textShape("the description of a response"), "content": content, "headers": mapShape(`"headers"`, p.header)}}
	variable := &shape{name: "a server variable", kinds: []kind{object}, fields: map[string]*shape{"default": textShape("the default"), "enum": textsShape(`"enum"`)}}
	p.servers = listShape(`"servers"`, &shape{name: "a server", kinds: []kind{object}, required: []string{"url"},
		fields: map[string]*shape{"url": textShape("the address of a server"), "variables": mapShape(`"variables"`, variable)}})
	return p
}

func pathShape(parts *operationParts, requirement *shape) *shape {
	parameters := listShape(`"parameters"`, parts.parameter)
	operation := &shape{name: "an operation", kinds: []kind{object}, rule: uniqueID, counts: true, fields: map[string]*shape{
		"operationId": textShape("the id of an operation"), "summary": textShape("the summary"), "description": textShape("the description"),
		"deprecated": flagShape(`"deprecated"`), "tags": textsShape(`"tags"`), "parameters": parameters,
		"responses": {name: `"responses"`, kinds: []kind{object}, each: parts.response, named: isStatus},
		"security":  listShape(`"security"`, requirement)}}
	item := &shape{name: "a path", kinds: []kind{object}, ref: true, fields: map[string]*shape{"parameters": parameters}}
	if parts.body != nil {
		operation.fields["requestBody"] = parts.body
		operation.fields["servers"] = parts.servers
		operation.fields["callbacks"] = mapShape(`"callbacks"`, &shape{name: "a callback", kinds: []kind{object}, ref: true, each: item})
		item.fields["servers"] = parts.servers
	}
	for _, m := range methods {
		item.fields[m] = operation
	}
	return item
}

func schemaShape() *shape {
	schema := &shape{name: "a schema", kinds: []kind{object, boolean}, ref: true, rule: isSchema}
	schemas := func(key string) *shape { return listShape(key, schema) }
	named := func(key string) *shape { return mapShape(key, schema) }
	schema.fields = map[string]*shape{
		"title": textShape("the title of a schema"), "description": textShape("the description of a schema"), "format": textShape("the format of a schema"),
		"pattern": textShape("the pattern of a schema"), "enum": listShape(`"enum"`, nil), "required": {name: `"required"`, kinds: []kind{list, boolean}},
		"properties": named(`"properties"`), "patternProperties": named(`"patternProperties"`), "additionalProperties": schema,
		"items": schema, "prefixItems": schemas(`"prefixItems"`),
		"allOf": schemas(`"allOf"`), "oneOf": schemas(`"oneOf"`), "anyOf": schemas(`"anyOf"`), "not": schema,
		"$defs": named(`"$defs"`), "contains": schema, "propertyNames": schema,
		"discriminator": {name: `"discriminator"`, kinds: []kind{object, text}}, "deprecated": flagShape(`"deprecated"`),
		"nullable": flagShape(`"nullable"`), "readOnly": flagShape(`"readOnly"`), "writeOnly": flagShape(`"writeOnly"`),
	}
	return schema
}

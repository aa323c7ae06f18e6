package markup

import "maps"

// An action of a button is flat in the data of its node, as attributes of a tag are:
// action is its name, query and slug are its parameters. For clients it is one object
// with its own parameters. Decode reads both forms.

// buttonActions maps the name of an action to the name of its parameter.
var buttonActions = map[string]string{"search": "query", "ask": "query", "select": "slug"}

// IsButtonAction reports whether buttons have an action of this name.
func IsButtonAction(name string) bool { return buttonActions[name] != "" }

var (
	asActionName = asOneOf("search", "ask", "select")
	asAction     = valueType{kind: objectKind, fields: actionFields, closed: true, or: &asActionName, read: readAction}
	actionFields = fieldsOf(needed(FieldAction, asActionName), optional(FieldQuery, asLine), optional(FieldSlug, asLine))
	buttonSizes  = []string{"small", "medium", "large"}
)

// readAction reads an action in either form. flattenAction must be called with the data
// that it is in.
func readAction(d *decoder, v any) (any, error) {
	if _, flat := v.(string); flat {
		return asActionName.read(d, v)
	}
	return d.object(v, true, actionFields)
}

// flattenAction replaces the action in the data of a button by its flat form. An empty
// parameter is the same as none.
func flattenAction(data map[string]any) {
	if action, ok := data["action"].(map[string]any); ok {
		maps.Copy(data, action)
	}
	for _, parameter := range []string{"query", "slug"} {
		if data[parameter] == "" {
			delete(data, parameter)
		}
	}
}

// buttonData returns the data of a button for clients. They require the parameter of an
// action, even if it is empty.
func (n *Node) buttonData() map[string]any {
	action := n.Str(FieldAction)
	parameter, ok := buttonActions[action]
	if !ok {
		return n.Data
	}
	data := maps.Clone(n.Data)
	delete(data, parameter)
	data["action"] = map[string]any{"action": action, parameter: str(n.Data, parameter)}
	return data
}

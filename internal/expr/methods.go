package expr

import (
	"math"
	"slices"
	"strings"
)

// method is a method of text, of lists or of both.
type method struct {
	args     int  // maximum number; missing ones are undefined
	callback bool // the only argument is a callback
	text     func(*invocation, string) (any, error)
	list     func(*invocation, []any) (any, error)
}

// maxArgs is the largest number of arguments of a method.
const maxArgs = 2

// methods are all methods by name. A method must count the steps and the bytes
// that it uses.
var methods = map[string]method{
	"at":          {args: 1, text: textAt, list: listAt},
	"startsWith":  {args: 2, text: textStartsWith},
	"endsWith":    {args: 2, text: textEndsWith},
	"includes":    {args: 2, text: textIncludes, list: listIncludes},
	"indexOf":     {args: 2, text: textIndexOf, list: listIndexOf},
	"slice":       {args: 2, text: textSlice, list: listSlice},
	"split":       {args: 2, text: textSplit},
	"toLowerCase": {text: func(c *invocation, s string) (any, error) { return c.cased(s, lower) }},
	"toUpperCase": {text: func(c *invocation, s string) (any, error) { return c.cased(s, upper) }},
	"trim":        {text: func(c *invocation, s string) (any, error) { return trim(s), c.read(s) }},
	"join":        {args: 1, list: listJoin},
	"some":        {callback: true, list: listSome},
	"every":       {callback: true, list: listEvery},
	"find":        {callback: true, list: listFind},
	"filter":      {callback: true, list: listFilter},
	"map":         {callback: true, list: listMap},
}

func methodNames() []string {
	var names []string
	for name := range methods {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func callbackMethods() []string {
	return slices.DeleteFunc(methodNames(), func(name string) bool { return !methods[name].callback })
}

// invocation is one call of a method.
type invocation struct {
	run      *run
	column   int
	args     [maxArgs]any
	count    int
	callback *callback
}

func (c *invocation) arg(i int) any {
	if i < c.count {
		return c.args[i]
	}
	return Undefined{}
}

// read counts the steps of reading the text that the method is called on.
func (c *invocation) read(s string) error { return c.run.scan(c.column, len(s)) }

// needle returns the first argument as text.
func (c *invocation) needle() (string, error) { return c.run.text(c.arg(0), c.column) }

// within returns an argument as a position from 0 to length. If fromEnd is true,
// a negative argument counts from the end. If the argument is undefined, within
// returns missing.
func (c *invocation) within(i, length, missing int, fromEnd bool) (int, error) {
	if _, none := c.arg(i).(Undefined); none {
		return missing, nil
	}
	x, err := c.run.integer(c.arg(i), c.column)
	if fromEnd && x < 0 {
		x += float64(length)
	}
	return int(math.Max(0, math.Min(x, float64(length)))), err
}

// at returns the argument of `at` as an index, which may be out of range.
func (c *invocation) at(length int) (float64, error) {
	x, err := c.run.integer(c.arg(0), c.column)
	if x < 0 {
		x += float64(length)
	}
	return x, err
}

func textAt(c *invocation, s string) (any, error) {
	i, err := c.at(units(s))
	if err != nil {
		return nil, err
	}
	return c.run.unit(s, i, c.column)
}

func textStartsWith(c *invocation, s string) (any, error) {
	needle, err := c.needle()
	if err != nil {
		return nil, err
	}
	from, err := c.within(1, units(s), 0, false)
	if err != nil {
		return nil, err
	}
	return strings.HasPrefix(slice(s, from, units(s)), needle), c.read(s)
}

func textEndsWith(c *invocation, s string) (any, error) {
	needle, err := c.needle()
	if err != nil {
		return nil, err
	}
	to, err := c.within(1, units(s), units(s), false)
	if err != nil {
		return nil, err
	}
	return strings.HasSuffix(slice(s, 0, to), needle), c.read(s)
}

// find returns the position of the first argument in s, or -1.
func (c *invocation) find(s string) (int, error) {
	needle, err := c.needle()
	if err != nil {
		return 0, err
	}
	from, err := c.within(1, units(s), 0, false)
	if err != nil {
		return 0, err
	}
	if err := c.run.scan(c.column, len(s)+len(needle)); err != nil {
		return 0, err
	}
	rest := slice(s, from, units(s))
	i := strings.Index(rest, needle)
	if i < 0 {
		return -1, nil
	}
	return from + units(rest[:i]), nil
}

func textIncludes(c *invocation, s string) (any, error) {
	i, err := c.find(s)
	return i >= 0, err
}

func textIndexOf(c *invocation, s string) (any, error) {
	i, err := c.find(s)
	return float64(i), err
}

func textSlice(c *invocation, s string) (any, error) {
	from, to, err := c.bounds(units(s))
	if err != nil {
		return nil, err
	}
	if err := c.run.allocate(c.column, to-from); err != nil {
		return nil, err
	}
	return slice(s, from, to), c.read(s)
}

// bounds returns the arguments of slice as positions with from <= to.
func (c *invocation) bounds(length int) (from, to int, err error) {
	if from, err = c.within(0, length, 0, true); err != nil {
		return 0, 0, err
	}
	to, err = c.within(1, length, length, true)
	return from, max(from, to), err
}

func textSplit(c *invocation, s string) (any, error) {
	limit := math.Inf(1)
	if _, none := c.arg(1).(Undefined); !none {
		x, err := c.run.integer(c.arg(1), c.column)
		if err != nil {
			return nil, err
		}
		limit = uint32Of(x)
	}
	if _, none := c.arg(0).(Undefined); none {
		if limit == 0 {
			return []any{}, nil
		}
		return []any{s}, c.run.allocate(c.column, itemBytes)
	}
	separator, err := c.needle()
	if err != nil {
		return nil, err
	}
	if err := c.run.scan(c.column, len(s)+len(separator)); err != nil {
		return nil, err
	}
	parts := []any{}
	add := func(part string) error {
		parts = append(parts, part)
		return c.run.allocate(c.column, itemBytes)
	}
	if separator == "" {
		for _, ch := range s {
			half := []string{string(ch)}
			if width(ch) == 2 {
				half = []string{"\uFFFD", "\uFFFD"}
			}
			for _, part := range half {
				if float64(len(parts)) >= limit {
					return parts, nil
				}
				if err := add(part); err != nil {
					return nil, err
				}
			}
		}
		return parts, nil
	}
	for more := true; more && float64(len(parts)) < limit; {
		var part string
		part, s, more = strings.Cut(s, separator)
		if err := add(part); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// uint32Of converts an integer to uint32 with wrap-around, as JavaScript does for
// lengths.
func uint32Of(x float64) float64 {
	if math.IsInf(x, 0) {
		return 0
	}
	x = math.Mod(x, 1<<32)
	if x < 0 {
		x += 1 << 32
	}
	return x
}

// cased converts a text to upper or lower case. The result may be three times as
// long.
func (c *invocation) cased(s string, mapping func(string) string) (any, error) {
	if err := c.run.allocate(c.column, 3*len(s)); err != nil {
		return nil, err
	}
	return mapping(s), nil
}

func listAt(c *invocation, items []any) (any, error) {
	i, err := c.at(len(items))
	if err != nil {
		return nil, err
	}
	return c.run.item(items, i, c.column)
}

// search returns the index of the first argument in a list, or -1. It finds NaN
// only if nan is true: includes finds NaN, indexOf does not.
func (c *invocation) search(items []any, nan bool) (int, error) {
	from, err := c.within(1, len(items), 0, true)
	if err != nil {
		return 0, err
	}
	wanted := c.arg(0)
	x, isNumber := wanted.(float64)
	for i := from; i < len(items); i++ {
		if err := c.run.spend(c.column, 1); err != nil {
			return 0, err
		}
		item, err := normalize(items[i], c.column)
		if err != nil {
			return 0, err
		}
		found, err := c.run.strictEqual(item, wanted, c.column)
		if err != nil {
			return 0, err
		}
		if y, ok := item.(float64); nan && ok && isNumber && x != x && y != y {
			found = true
		}
		if found {
			return i, nil
		}
	}
	return -1, nil
}

func listIncludes(c *invocation, items []any) (any, error) {
	i, err := c.search(items, true)
	return i >= 0, err
}

func listIndexOf(c *invocation, items []any) (any, error) {
	i, err := c.search(items, false)
	return float64(i), err
}

func listSlice(c *invocation, items []any) (any, error) {
	from, to, err := c.bounds(len(items))
	if err != nil {
		return nil, err
	}
	if err := c.run.allocate(c.column, itemBytes*(to-from)); err != nil {
		return nil, err
	}
	return slices.Clone(items[from:to]), nil
}

func listJoin(c *invocation, items []any) (any, error) {
	separator := ","
	if _, none := c.arg(0).(Undefined); !none {
		var err error
		if separator, err = c.needle(); err != nil {
			return nil, err
		}
	}
	return c.run.join(items, separator, c.column)
}

// each calls the callback for each item until stop returns true.
func (c *invocation) each(items []any, stop func(item, result any) (bool, error)) error {
	r, f := c.run, c.callback
	for i, item := range items {
		if err := r.spend(c.column, 1); err != nil {
			return err
		}
		item, err := normalize(item, c.column)
		if err != nil {
			return err
		}
		given := [maxParams]any{item, float64(i), items}
		copy(r.slots[f.first:], given[:f.params])
		result, err := f.body.eval(r)
		if err != nil {
			return err
		}
		if enough, err := stop(item, result); enough || err != nil {
			return err
		}
	}
	return nil
}

func listSome(c *invocation, items []any) (any, error) {
	found := false
	err := c.each(items, func(_, result any) (bool, error) {
		found = truthy(result)
		return found, nil
	})
	return found, err
}

func listEvery(c *invocation, items []any) (any, error) {
	all := true
	err := c.each(items, func(_, result any) (bool, error) {
		all = truthy(result)
		return !all, nil
	})
	return all, err
}

func listFind(c *invocation, items []any) (any, error) {
	var found any = Undefined{}
	err := c.each(items, func(item, result any) (bool, error) {
		if truthy(result) {
			found = item
			return true, nil
		}
		return false, nil
	})
	return found, err
}

func listFilter(c *invocation, items []any) (any, error) {
	kept := []any{}
	err := c.each(items, func(item, result any) (bool, error) {
		if !truthy(result) {
			return false, nil
		}
		kept = append(kept, item)
		return false, c.run.allocate(c.column, itemBytes)
	})
	return kept, err
}

func listMap(c *invocation, items []any) (any, error) {
	made := []any{}
	err := c.each(items, func(_, result any) (bool, error) {
		made = append(made, result)
		return false, c.run.allocate(c.column, itemBytes)
	})
	return made, err
}

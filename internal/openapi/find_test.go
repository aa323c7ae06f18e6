package openapi

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	d := load(t, samples(t)["petstore"])
	for query, want := range map[string]string{
		"listPets": "listPets", "list pets": "listPets", "/pets/{petId}": "deletePet", "GET /pets": "listPets", "petid": "deletePet", "X-Trace": "listPets createPet",
		"password": "listPets createPet", "Status": "listPets createPet", "create": "createPet", "extra": "List owners", "nobody": "", "": "", "/": "listPets createPet deletePet List owners",
	} {
		var got []string
		for _, m := range d.Find(query, 10) {
			got = append(got, strings.TrimSpace(m.Operation.ID))
			if m.Operation.ID == "" {
				got[len(got)-1] = m.Operation.Title()
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, not %q", query, strings.Join(got, " "), want)
		}
	}
}

package markup

import (
	"strconv"
	"strings"
	"time"
)

// Dates are the forms of dates in a language. In a form, YYYY is the year, MMMM the
// month, M its number and D the day.
type Dates struct {
	Full, Short             string
	Months, ShortenedMonths [12]string
}

var englishDates = Dates{
	Full: "MMMM D, YYYY", Short: "MMMM D, YYYY",
	Months:          [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
	ShortenedMonths: [12]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
}

// format returns a date in the form of a list of updates: numeric, which is the same
// in all languages, short or full.
func (d *Dates) format(t time.Time, form string) string {
	pattern, months := d.Full, &d.Months
	switch form {
	case "numeric":
		return t.Format(time.DateOnly)
	case "short":
		pattern, months = d.Short, &d.ShortenedMonths
	}
	return strings.NewReplacer(
		"YYYY", t.Format("2006"), "MMMM", months[t.Month()-1], "M", strconv.Itoa(int(t.Month())), "D", strconv.Itoa(t.Day()),
	).Replace(pattern)
}

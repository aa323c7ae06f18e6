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

var EnglishDates = Dates{
	Full: "MMMM D, YYYY", Short: "MMMM D, YYYY",
	Months:          [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
	ShortenedMonths: [12]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
}

// Format returns a date in the form of a list of updates: numeric, which is the same
// in all languages, short or full. day is its numeric form. ok is false if the text is
// not a date.
func (d *Dates) Format(date, form string) (text, day string, ok bool) {
	t, ok := parseDate(date)
	if !ok {
		return "", "", false
	}
	day = t.Format(time.DateOnly)
	pattern, months := d.Full, &d.Months
	switch form {
	case "numeric":
		return day, day, true
	case "short":
		pattern, months = d.Short, &d.ShortenedMonths
	}
	text = strings.NewReplacer(
		"YYYY", t.Format("2006"), "MMMM", months[t.Month()-1], "M", strconv.Itoa(int(t.Month())), "D", strconv.Itoa(t.Day()),
	).Replace(pattern)
	return text, day, true
}

// parseDate parses a date or a time in RFC 3339. Its year in UTC must have at
// most four digits.
func parseDate(s string) (time.Time, bool) {
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, s); err == nil {
			t = t.UTC()
			return t, t.Year() >= 0 && t.Year() <= 9999
		}
	}
	return time.Time{}, false
}

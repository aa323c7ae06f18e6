package docs

import "time"

// HostnameGrace is the time during which a host name remains active while its record is
// missing. People move domains and delete records by mistake.
const HostnameGrace = 72 * time.Hour

// Intervals of checking the record of a host name: short while its owner waits, then once
// a day.
const (
	hostnameSoonest = 10 * time.Minute
	hostnameFailing = 6 * time.Hour
	hostnameDaily   = 24 * time.Hour
)

// SiteHostname is a host name that the owner of a site requested. It becomes active when
// the owner proves control of the domain, or if the operator of the server vouches for
// it.
type SiteHostname struct {
	Site         SiteID
	Name         string
	Token        string // required content of the record
	Active       bool   // the site uses the name; at most one site does
	Problem      string // problem found by the last check; may be empty
	CreatedAt    Time
	VerifiedAt   Time // time at which it became active; 0 if it is not
	CheckedAt    Time // 0 if never
	FailingSince Time `audit:"-"` // first check that did not find the record of an active name; 0 if the record exists
	NextCheck    Time
}

// Record returns the name of the DNS record that proves a host name.
func (h SiteHostname) Record() string { return HostnameRecord + h.Name }

// HostnameRecord is the prefix of the name of the record that proves a host name.
const HostnameRecord = "_octavo-challenge."

// ProxyToken returns the required content of the DNS record of a host that forwards a
// path to the site. It is not secret: by setting the record, the owner of the host
// selects the site.
func (s Site) ProxyToken() string { return "octavo-proxy-" + string(s.ID) }

// HostnameProof is the result of checking the record of a host name.
type HostnameProof uint8

// Results of a check. HostnameUnknown is the result of a check that failed: a name server
// that does not respond must not disable a name.
const (
	HostnameUnknown HostnameProof = iota
	HostnameProved
	HostnameDenied
)

// Checked returns the host name with the result of a check applied.
func (h SiteHostname) Checked(p HostnameProof, problem string, now Time) SiteHostname {
	h.CheckedAt, h.Problem = now, problem
	switch {
	case p == HostnameProved:
		if !h.Active {
			h.VerifiedAt = now
		}
		h.Active, h.FailingSince = true, 0
	case p == HostnameDenied && h.Active:
		if h.FailingSince == 0 {
			h.FailingSince = now
		}
		if h.FailingSince.Add(HostnameGrace) <= now {
			h.Active, h.FailingSince, h.VerifiedAt = false, 0, 0
		}
	}
	h.NextCheck = now.Add(h.pause(now))
	return h
}

// pause returns the delay before the next check.
func (h SiteHostname) pause(now Time) time.Duration {
	switch {
	case h.FailingSince != 0:
		return hostnameFailing
	case h.Active:
		return hostnameDaily
	}
	age := time.Duration(now-h.CreatedAt) * time.Millisecond
	return min(max(age, hostnameSoonest), hostnameDaily)
}

// maxProxyFailures is the number of consecutive checks without the record after which a
// site loses its address on a host.
const maxProxyFailures = 3

// ProxyState holds the results of checking the host of Site.Proxy.
type ProxyState struct {
	Problem   string // problem found by the last check; kept when the address is lost
	Failures  int    `audit:"-"` // number of consecutive checks that did not find the record
	NextCheck Time   // 0 if there is nothing to check
}

// WithProxy returns the site with another proxy address, which has just been verified, or
// without one.
func (s Site) WithProxy(proxy string, now Time) Site {
	if s.Proxy == proxy && proxy != "" {
		return s
	}
	s.Proxy, s.ProxyState = proxy, ProxyState{}
	if proxy != "" {
		s.ProxyState.NextCheck = now.Add(hostnameDaily)
	}
	return s
}

// ProxyChecked returns the site with the result of a check of its proxy host applied.
func (s Site) ProxyChecked(p HostnameProof, problem string, now Time) Site {
	state := ProxyState{Problem: problem, Failures: s.ProxyState.Failures, NextCheck: now.Add(hostnameDaily)}
	switch p {
	case HostnameProved:
		state.Failures, state.Problem = 0, ""
	case HostnameDenied:
		state.Failures++
		if state.Failures >= maxProxyFailures {
			state = ProxyState{Problem: "the site lost its address " + s.Proxy + ": " + problem + ". Set the record, then set proxy again"}
			s.Proxy = ""
		}
	default: // no response, so nothing is known
		state.NextCheck = now.Add(hostnameFailing)
	}
	s.ProxyState = state
	return s
}

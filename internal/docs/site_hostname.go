package docs

import "time"

// HostnameGrace is how long a host name stays in use while the record that
// proves it is missing: people move domains and lose records by mistake.
const HostnameGrace = 72 * time.Hour

// How often the record of a host name is looked for: often while its owner
// waits, then once a day.
const (
	hostnameSoonest = 10 * time.Minute
	hostnameFailing = 6 * time.Hour
	hostnameDaily   = 24 * time.Hour
)

// SiteHostname is a host name that the owner of a site wants for it. It is in
// use once the owner has proved to have the domain, or the operator of the
// server vouches for it.
type SiteHostname struct {
	Site         SiteID
	Name         string
	Token        string // what the record must hold
	Active       bool   // whether the site has the name; at most one site has
	Problem      string // what the last check found; empty: nothing
	CreatedAt    Time
	VerifiedAt   Time // when it became active; 0: it is not
	CheckedAt    Time // 0: never
	FailingSince Time // when the record of an active name was missing first; 0: it is there
	NextCheck    Time
}

// Record returns the name of the DNS record that proves a host name.
func (h SiteHostname) Record() string { return HostnameRecord + h.Name }

// HostnameRecord begins the name of the record that proves a host name.
const HostnameRecord = "_octavo-challenge."

// ProxyToken is what the record of a host holds that forwards a path to the site.
// It is no secret: who sets the record says which site may have the address.
func (s Site) ProxyToken() string { return "octavo-proxy-" + string(s.ID) }

// HostnameProof is the result of a check.
type HostnameProof uint8

// Results. Unknown is that of a check that could not be made: a name server
// that does not answer takes nobody's name away.
const (
	HostnameUnknown HostnameProof = iota
	HostnameProved
	HostnameDenied
)

// Checked returns the host name after a check.
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

// pause returns how long the next check can wait.
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

// maxProxyFailures is how many checks in a row must not find the record of a host
// before a site loses its address there.
const maxProxyFailures = 3

// ProxyState is what checks have found out about the host of Site.Proxy.
type ProxyState struct {
	Problem   string // what the last check found; it stays when the address is lost
	Failures  int    // checks in a row that did not find the record
	NextCheck Time   // 0: there is nothing to check
}

// WithProxy returns the site with another address behind a proxy, which was proved
// just now, or with none.
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

// ProxyChecked returns the site after a check of the host of its proxy.
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
	default: // nobody answered, which says nothing
		state.NextCheck = now.Add(hostnameFailing)
	}
	s.ProxyState = state
	return s
}

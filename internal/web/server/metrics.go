package server

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/defect"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

// metrics counts requests by operation. The connection pool and the job queue are read
// when the metrics are scraped.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	byOp     map[string]*opMetrics
	synced   *prometheus.CounterVec
}

// opMetrics holds the counters of one operation, which are looked up only once.
type opMetrics struct {
	latency prometheus.Observer
	status  sync.Map // int -> prometheus.Counter
}

func newMetrics(s *store.Store) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "octavo_http_requests_total", Help: "Requests by operation and status.",
		}, []string{"operation", "status"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "octavo_http_request_seconds", Help: "Time to answer, by operation.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 9),
		}, []string{"operation"}),
		byOp: map[string]*opMetrics{},
		synced: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "octavo_git_operations_total", Help: "Imports and exports that ended on this node, by what came of them.",
		}, []string{"direction", "state", "reason"}),
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.requests, m.latency, m.synced, poolCollector(s), &queueCollector{store: s},
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "octavo_markup_defects_total", Help: "Pages and blocks of code that are shown as their source because this program or a library has a defect.",
		}, func() float64 { return float64(defect.Count()) }),
	)
	return m
}

func (m *metrics) declare(ops []kernel.OperationInfo) {
	for _, o := range ops {
		m.byOp[o.ID] = &opMetrics{latency: m.latency.WithLabelValues(o.ID)}
	}
}

func (m *metrics) observe(operation string, status int, took time.Duration) {
	o := m.byOp[operation]
	o.latency.Observe(took.Seconds())
	c, ok := o.status.Load(status)
	if !ok {
		c, _ = o.status.LoadOrStore(status, m.requests.WithLabelValues(operation, strconv.Itoa(status)))
	}
	c.(prometheus.Counter).Inc()
}

// gitEnded counts a git operation that ended. Reasons are codes, so there are few label
// values.
func (m *metrics) gitEnded(d docs.GitDirection, state docs.GitState, reason string) {
	m.synced.WithLabelValues(string(d), string(state), reason).Inc()
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

func poolCollector(s *store.Store) prometheus.Collector {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	return group{
		gauge("octavo_db_connections_open", "Connections of the pool.", func() float64 { return float64(s.Stats().OpenConnections) }),
		gauge("octavo_db_connections_in_use", "Connections that run a statement.", func() float64 { return float64(s.Stats().InUse) }),
		gauge("octavo_disk_full", "1 for 15 seconds after a write failed because the disk is full.", func() float64 {
			if s.DiskFull() {
				return 1
			}
			return 0
		}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "octavo_db_wait_seconds_total", Help: "Time that statements have waited for a connection.",
		}, func() float64 { return s.Stats().WaitDuration.Seconds() }),
	}
}

// group combines several collectors.
type group []prometheus.Collector

func (g group) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range g {
		c.Describe(ch)
	}
}

func (g group) Collect(ch chan<- prometheus.Metric) {
	for _, c := range g {
		c.Collect(ch)
	}
}

// queueCollector counts jobs, events and deliveries when the metrics are scraped.
type queueCollector struct{ store *store.Store }

var (
	outboxDesc   = prometheus.NewDesc("octavo_events_waiting", "Events that were not looked at yet.", nil, nil)
	pausedDesc   = prometheus.NewDesc("octavo_paused", "1 while outgoing work is paused, as after a restore.", nil, nil)
	deliveryDesc = prometheus.NewDesc("octavo_webhook_deliveries_pending", "Deliveries to webhooks that wait to be sent, or sent again.", nil, nil)
)

var queueDesc = prometheus.NewDesc("octavo_jobs", "Background jobs by kind and state.", []string{"kind", "state"}, nil)

func (q *queueCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- queueDesc
	ch <- outboxDesc
	ch <- deliveryDesc
	ch <- pausedDesc
}

func (q *queueCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	counts, err := q.store.JobCounts(ctx)
	if err != nil {
		return // readyz reports that the database is unreachable; the error could disclose its address here
	}
	for _, c := range counts {
		ch <- prometheus.MustNewConstMetric(queueDesc, prometheus.GaugeValue, float64(c.N), c.Kind, c.State)
	}
	at, err := q.store.PausedAt(ctx)
	if err != nil {
		return
	}
	paused := 0.0
	if !at.IsZero() {
		paused = 1
	}
	ch <- prometheus.MustNewConstMetric(pausedDesc, prometheus.GaugeValue, paused)
	b, err := q.store.Backlog(ctx)
	if err != nil {
		return
	}
	ch <- prometheus.MustNewConstMetric(outboxDesc, prometheus.GaugeValue, float64(b.Events))
	ch <- prometheus.MustNewConstMetric(deliveryDesc, prometheus.GaugeValue, float64(b.Deliveries))
}

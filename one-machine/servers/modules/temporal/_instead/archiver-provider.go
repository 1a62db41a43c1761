// Package provider stands in for the one of the same name: a server for development archives nothing, and the clients
// of the stores of clouds are a quarter of the program.
package provider

import (
	"errors"

	"go.temporal.io/server/common/archiver"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence"
)

// ErrArchiverConfigNotFound is what every archiver is refused with.
var ErrArchiverConfigNotFound = errors.New("this Temporal was built without archivers")

// ArchiverProvider has none.
type ArchiverProvider interface {
	GetHistoryArchiver(scheme string) (archiver.HistoryArchiver, error)
	GetVisibilityArchiver(scheme string) (archiver.VisibilityArchiver, error)
}

type archiverProvider struct{}

// NewArchiverProvider takes what the other one takes, and uses nothing of it.
func NewArchiverProvider(
	_ *config.HistoryArchiverProvider,
	_ *config.VisibilityArchiverProvider,
	_ persistence.ExecutionManager,
	_ log.Logger,
	_ metrics.Handler,
) ArchiverProvider {
	return archiverProvider{}
}

func (archiverProvider) GetHistoryArchiver(string) (archiver.HistoryArchiver, error) {
	return nil, ErrArchiverConfigNotFound
}

func (archiverProvider) GetVisibilityArchiver(string) (archiver.VisibilityArchiver, error) {
	return nil, ErrArchiverConfigNotFound
}

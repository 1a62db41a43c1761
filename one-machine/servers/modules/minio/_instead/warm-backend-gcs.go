package cmd

import (
	"errors"

	"github.com/minio/madmin-go/v3"
)

// warmBackendGCS stands in for the one of the same name: a server on one machine moves no objects to the stores of
// clouds, whose clients are a quarter of the program.
type warmBackendGCS struct{ WarmBackend }

func newWarmBackendGCS(madmin.TierGCS, string) (*warmBackendGCS, error) {
	return nil, errors.New("this MinIO was built without tiers at Google Cloud Storage")
}

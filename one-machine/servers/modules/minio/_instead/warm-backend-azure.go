package cmd

import (
	"errors"

	"github.com/minio/madmin-go/v3"
)

// warmBackendAzure stands in for the one of the same name, as that of Google Cloud Storage does.
type warmBackendAzure struct{ WarmBackend }

func newWarmBackendAzure(madmin.TierAzure, string) (*warmBackendAzure, error) {
	return nil, errors.New("this MinIO was built without tiers at Azure")
}

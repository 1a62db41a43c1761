// Package client is the one of the same name but for this file: without the signatures of AWS.
package client

import (
	"errors"
	"net/http"
)

// NewAwsHttpClient refuses where one is asked for.
func NewAwsHttpClient(config ESAWSRequestSigningConfig) (*http.Client, error) {
	if !config.Enabled {
		return nil, nil
	}
	return nil, errors.New("this Temporal was built without the signatures of AWS")
}

// Package dns stands in for the DNS providers of ACME: a hundred clouds' clients are half of Traefik, and on one
// machine no certificate is proven by DNS.
package dns

import (
	"fmt"

	"github.com/go-acme/lego/v4/challenge"
)

// NewDNSChallengeProviderByName knows no provider.
func NewDNSChallengeProviderByName(name string) (challenge.Provider, error) {
	return nil, fmt.Errorf("this Traefik was built without DNS providers, so without %s", name)
}

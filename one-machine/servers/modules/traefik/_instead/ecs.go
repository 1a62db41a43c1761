// Package ecs stands in for the provider of Amazon ECS, whose clients are a fifth of Traefik.
package ecs

import (
	"errors"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/safe"
)

// Provider can be named in a configuration and refuses to start.
type Provider struct {
	DefaultRule string `json:"defaultRule,omitempty" toml:"defaultRule,omitempty" yaml:"defaultRule,omitempty"`
}

// DefaultTemplateRule is never used.
const DefaultTemplateRule = ""

// SetDefaults sets nothing.
func (p *Provider) SetDefaults() {}

// Init refuses.
func (p *Provider) Init() error {
	return errors.New("this Traefik was built without the provider ecs")
}

// Provide refuses.
func (p *Provider) Provide(_ chan<- dynamic.Message, _ *safe.Pool) error {
	return p.Init()
}

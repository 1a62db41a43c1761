/**
 * The scenarios of the conformance runner: those that `svc mcp` passes, and those that ask for what it does not have,
 * with why. A test holds both lists against the runner's own.
 */

export const applies = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
] as const

export const doesNotApply = {
  'svc mcp has tools only: no prompts, resources, completion of arguments, or log level': [
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
    'completion-complete',
    'logging-set-level',
  ],
  'it calls a tool of the name test_..., which a server has for the runner alone': [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-with-logging',
    'tools-call-error',
    'tools-call-with-progress',
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'server-sse-polling',
    'json-schema-2020-12',
  ],
} as const

/** How a repository is built and read: asked for when a service is made and when its settings are changed. */
import type { FormField } from './form-field.ts'

/** See docs/reference/builds.md. */
export const buildFields: readonly FormField[] = [
  {
    name: 'dockerfile',
    label: 'Dockerfile',
    placeholder: 'Dockerfile',
    hint: 'Its path in the folder that is built; where there is none, one is written for node, python, go and others',
  },
  { name: 'context', label: 'Folder that is built', placeholder: '.' },
  {
    name: 'waitForCI',
    label: 'Wait for the checks of the commit',
    kind: 'check',
    hint: 'Builds only what has passed; needs a repository of the connected git host',
  },
]

/** Whether a repository is read over ssh, and so with a deploy key; the contract takes no other user there. */
export const isOverSsh = (repository: string): boolean => /^(ssh:\/\/)?git@/.test(repository)

/** The sections of the settings: what their addresses end with, what they are called, and who may see them. */
export const settingsSections = [
  { id: 'domain', label: 'Domain' },
  { id: 'dns', label: 'DNS provider' },
  { id: 'registry', label: 'Registry' },
  { id: 'githost', label: 'Git host' },
  { id: 'clouds', label: 'Cloud connections' },
  { id: 'servers', label: 'Servers', forEveryone: true },
  { id: 'backup', label: 'Backup of svc' },
  { id: 'tokens', label: 'Tokens' },
  { id: 'users', label: 'Users' },
  { id: 'account', label: 'Your account', forEveryone: true },
] as const satisfies readonly { id: string; label: string; forEveryone?: true }[]

export type SettingsSection = (typeof settingsSections)[number]['id']

export const isForEveryone = (section: (typeof settingsSections)[number]): boolean => 'forEveryone' in section

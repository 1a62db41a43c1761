/** Which field of a form a refusal stands beside. */
import { expect } from 'chai'
import { refusedField } from '../../dashboard/ui/refused-field.ts'

describe('a refusal', () => {
  const fields = [
    { name: 'name', label: 'Name' },
    { name: 'host', label: 'Public host' },
    { name: 'requiredTags', label: 'Required tags', kind: 'lines' as const },
    { name: 'password', label: 'Password', kind: 'secret' as const },
  ]
  const values = { name: 'web', host: 'shop.example', requiredTags: 'gdpr', password: 'taken' }
  const rows: [sentence: string, field: string | undefined][] = [
    ['name must use lowercase letters, digits, and hyphens', 'name'],
    ['Set a host in settings before you name it.', 'host'],
    ['name and host cannot be the same', 'name'],
    ['the name web is already used', 'name'],
    ['"shop.example" is used by the service blog', 'host'],
    ['shop.example: it has no record in the DNS', 'host'],
    ['the required tags are on no node', 'requiredTags'],
    ['a user web exists already', 'name'],
    ['no host of that name', undefined],
    ['web cannot be reached as shop.example', undefined],
    ['it is taken', undefined],
    ['the website is renamed', undefined],
    ['could not complete the request', undefined],
  ]
  for (const [sentence, field] of rows)
    it(`"${sentence}" stands ${field === undefined ? 'over the form' : `beside ${field}`}`, () => {
      expect(refusedField(sentence, fields, values)?.name).to.equal(field)
    })
})

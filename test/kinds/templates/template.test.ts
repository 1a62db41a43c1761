/** The rules of a template; every file of the catalogue keeps them. */
import { expect } from 'chai'
import { readCatalogue } from '../../../api/templates/catalogue.ts'
import { defined } from '../../../contract/defined.ts'
import { describeTemplate, template, type TemplateService } from '../../../kinds/templates/template.ts'
import { newSpec } from '../../../records/apps/create-draft.ts'
import { newDatabaseSpec } from '../../../records/databases/create-database.ts'

/** The source of the draft that it makes. */
function sourceOf({ image, port = 8080, function: code }: TemplateService): string | undefined {
  const spec =
    code === undefined
      ? newSpec({ ...place, source: 'image', port, ...defined({ image }) })
      : newSpec({ ...place, source: 'function', port, ...code })
  return Object.keys(spec.source)[0]
}

const place = { project: 'proj-0a1b2c3d', environment: 'production' }
const db = { kind: 'database', name: 'db', engine: 'postgres' }
const web = { kind: 'app', name: 'web', image: 'nginx:1', port: 80 }
const bare = { id: 'one', name: 'One', description: 'One.', category: 'Tools', resources: [db, web] }

describe('the catalogue of templates', () => {
  const catalogue = [...readCatalogue().values()]

  it('has at least ten, and each category is used', () => {
    expect(catalogue.length).to.be.at.least(10)
    expect(new Set(catalogue.map(({ name }) => name)).size).to.equal(catalogue.length)
  })

  for (const each of catalogue) {
    it(`${each.id} makes services and databases that are accepted`, () => {
      for (const resource of each.resources) {
        if (resource.kind === 'app') expect(sourceOf(resource)).to.be.oneOf(['image', 'function'])
        else
          expect(newDatabaseSpec({ ...place, engine: resource.engine, placement: 'InCluster' }).engine).to.equal(
            resource.engine,
          )
      }
      expect(JSON.stringify(describeTemplate(each))).not.to.include('undefined')
    })
  }
})

describe('a template', () => {
  it('is described with its resources and variables', () => {
    const service = {
      ...web,
      config: { MODE: 'fast' },
      secrets: ['KEY'],
      references: { DATABASE_URL: { from: 'db', key: 'uri' } },
    }
    expect(describeTemplate(template.parse({ ...bare, resources: [db, service] }))).to.deep.equal({
      id: 'one',
      name: 'One',
      description: 'One.',
      category: 'Tools',
      resources: [
        { kind: 'database', name: 'db' },
        { kind: 'app', name: 'web' },
      ],
      variables: [
        { resource: 'web', name: 'MODE', kind: 'plain', value: 'fast' },
        { resource: 'web', name: 'KEY', kind: 'secret' },
        { resource: 'web', name: 'DATABASE_URL', kind: 'reference' },
      ],
    })
  })

  const refused: [string, object][] = [
    ['two resources of one name', { resources: [db, { ...web, name: 'db' }] }],
    ['a reference to nothing', { resources: [{ ...web, references: { A: { from: 'db', key: 'uri' } } }] }],
    [
      'a reference to a database that comes later',
      { resources: [{ ...web, references: { A: { from: 'db', key: 'uri' } } }, db] },
    ],
    [
      'a reference to a service',
      { resources: [web, { ...web, name: 'api', references: { A: { from: 'web', key: 'uri' } } }] },
    ],
    ['a variable said twice', { resources: [{ ...web, config: { A: '1' }, secrets: ['A'] }] }],
    ['nothing to make', { resources: [] }],
    ['an unknown field', { resources: [{ ...web, volume: '1Gi' }] }],
    ['an unknown category', { category: 'Other' }],
  ]
  for (const [what, change] of refused)
    it(`with ${what} is none`, () => expect(template.safeParse({ ...bare, ...change }).success).to.equal(false))
})

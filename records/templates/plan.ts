/** The plan of a template deploy, kept on its project's record: a repeated request uses the same names. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { dnsLabel } from '../../contract/fields/patterns.ts'
import { workloadNameMax } from '../../contract/limits.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { parseAnnotation, type Parsed } from '../../kinds/meta/parse-annotation.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { Template } from '../../kinds/templates/template.ts'
import type { Place } from '../place/place.ts'
import { refuseUnknownEnvironment } from '../place/project-environment.ts'
import type { RecordStore } from '../store/record-store.ts'

export interface PlanNeeds {
  projects: RecordStore<Project>
}

/** From the label of a resource within the template to its name. */
export type Plan = Readonly<Record<string, string>>
/** Plans by environment and template; see `planKey`. */
const plansSchema = z.record(z.string(), z.record(z.string(), z.string().max(workloadNameMax).regex(dnsLabel)))
type Plans = Readonly<z.output<typeof plansSchema>>

const tries = 8
const suffixBytes = 2
/** What repairs names that cannot be read. */
const removePlans = 'remove it from the project, and the drafts that it named'

/**
 * 1. The names are written on the project, or the names of an unfinished deploy of this template are found there;
 * 2. the caller makes the resources that are missing; 3. `closePlan`. After a crash the drafts remain, and the next try
 *   completes them. Two concurrent requests make one set together. Names that cannot be read are refused: others would
 *   make a second set. Throws Problem not_found, invalid_request.
 */
export async function openPlan(
  { projects }: PlanNeeds,
  { project: name, environment }: Place,
  template: Template,
  taken: (name: string) => boolean,
): Promise<Plan> {
  const key = planKey(environment, template)
  const fresh = newPlan(template, taken)
  await projects.readLive(name) // a plan that another replica has closed meanwhile is none
  const project = await projects.edit(name, (current) => {
    if (current.metadata.deletionTimestamp !== undefined) throw refuse('the project is being deleted')
    refuseUnknownEnvironment(current, environment)
    const { value: plans = {}, unreadable } = plansOf(current)
    if (unreadable !== undefined) throw refuse(`${unreadable}; ${removePlans}`)
    return plans[key] === undefined ? withPlans(current, { ...plans, [key]: fresh }) : undefined
  })
  if (project === undefined) throw new Problem('not_found', 'project not found')
  // The template may have more resources than the stored plan: those get new names.
  return { ...fresh, ...plansOf(project).value?.[key] }
}

/** Removes the plan, once all of its resources exist. */
export async function closePlan(
  { projects }: PlanNeeds,
  { project, environment }: Place,
  template: Template,
): Promise<void> {
  const key = planKey(environment, template)
  await projects.edit(project, (current) => {
    const { [key]: done, ...others } = plansOf(current).value ?? {}
    return done === undefined ? undefined : withPlans(current, others)
  })
}

const planKey = (environment: string, { id }: Template): string => `${environment}/${id}`

/** `umami-db-3f9a`, `umami-web-3f9a`: one suffix, which shows what belongs together. */
function newPlan({ id, resources }: Template, taken: (name: string) => boolean): Plan {
  for (let attempt = 1; ; attempt += 1) {
    const suffix = randomBytes(suffixBytes).toString('hex')
    const plan = Object.fromEntries(resources.map(({ name }) => [name, `${id}-${name}-${suffix}`] as const))
    if (attempt === tries || !Object.values(plan).some(taken)) return plan
  }
}

const plansOf = ({ metadata }: Project): Parsed<Plans> => parseAnnotation(metadata, annotations.templates, plansSchema)

function withPlans(project: Project, plans: Plans): Project {
  const { [annotations.templates]: _, ...others } = project.metadata.annotations ?? {}
  const kept = Object.keys(plans).length === 0 ? others : { ...others, [annotations.templates]: JSON.stringify(plans) }
  return { ...project, metadata: { ...project.metadata, annotations: kept } }
}

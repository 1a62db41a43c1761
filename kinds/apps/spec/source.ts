/** Where a service comes from: an image, a git repository or the code of a function. */
import { z } from 'zod'
import { dnsLabel } from '../../../contract/fields/patterns.ts'
import { functionModes, runtimes } from '../../../contract/fields/words.ts'
import { functionScheduleNameMax, functionSchedulesMax, functionScheduleMax } from '../../../contract/limits.ts'
import { gitNameMax, imageMax, pathMax, shortListMax } from '../../meta/bounds.ts'
import { asMap, asSet, nameRef, objectName, rules, text } from '../../schema/fields.ts'

const image = z.object({
  image: z
    .string()
    .max(imageMax)
    .default('')
    .meta({ description: 'Image reference with tag or digest; a draft may leave it empty.' }),
  pullSecret: objectName.optional().meta({ description: 'Name of the Secret with the registry login.' }),
})

const git = z.object({
  connectionRef: nameRef.optional().meta({ description: 'The git-host connection used to read a private repository.' }),
  repository: z.string().max(gitNameMax).default('').meta({ description: 'Repository as owner/name or an https URL.' }),
  branch: z.string().max(gitNameMax).default('').meta({ description: 'Branch to build; empty is the default branch.' }),
  commit: z.string().max(64).default('').meta({ description: 'Commit to build instead of the head of the branch.' }),
  dockerfile: z
    .string()
    .max(pathMax)
    .default('Dockerfile')
    .meta({ description: 'Path of the Dockerfile inside the context.' }),
  context: z.string().max(pathMax).default('.').meta({ description: 'Folder that is built.' }),
  waitForCI: z.boolean().default(false).meta({ description: 'Build only once the checks of the commit have passed.' }),
  watchPatterns: z
    .array(z.string().min(1).max(pathMax))
    .max(shortListMax)
    .default([])
    .meta({
      description: 'A push builds only when it changes a path that matches one of these; empty is every push.',
      ...asSet,
    }),
})

const trigger = z.object({
  name: z.string().max(functionScheduleNameMax).regex(dnsLabel).meta({ description: 'Name of the schedule.' }),
  schedule: z
    .string()
    .min(1)
    .max(functionScheduleMax)
    .meta({ description: 'Five-field UTC cron, or @hourly, @daily and the like.' }),
  path: z.string().max(pathMax).regex(/^\//).default('/').meta({ description: 'Path the run is posted to.' }),
  payload: text.default('').meta({ description: 'JSON the run is posted with; empty is none.' }),
})

const fn = z.object({
  runtime: z.enum(runtimes).default('node').meta({ description: 'What runs the code.' }),
  mode: z
    .enum(functionModes)
    .default('http')
    .meta({ description: 'Whether the function serves HTTP or is called with events.' }),
  code: text.default('').meta({ description: 'Source of the function.' }),
  triggers: z
    .array(trigger)
    .max(functionSchedulesMax)
    .default([])
    .meta({ description: 'Schedules that call the function; they start with the next deploy.', ...asMap('name') }),
})

export const source = z
  .object({
    image: image.optional().meta({ description: 'Runs a container image.' }),
    git: git.optional().meta({ description: 'Builds a git repository and runs the image.' }),
    function: fn.optional().meta({ description: 'Runs a function.' }),
  })
  .meta({
    description: 'Where the service comes from; exactly one of image, git and function.',
    ...rules({
      rule: '[has(self.image), has(self.git), has(self.function)].filter(set, set).size() == 1',
      message: 'set exactly one of image, git and function',
    }),
  })

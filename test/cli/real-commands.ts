/**
 * What each command is asked for against a real api: what works, what is refused, what is not there. What a worker, a
 * metrics store, a git host or a function does for them is in real-servers.ts, the rest in real-furniture.ts.
 */
import { dataCommands } from './real-data-commands.ts'
import { gone, noCapacity, observer, type RealCommand, viewer } from './real-command.ts'

const noRun = '01234567-0123-0123-0123-0123456789ab'
/** That of who signs in, and a new one. */
const passwords = '{password}\nstaple-staple\n'
const noEnvironment = /the project has no environment none/
const lastAdmin = /the last admin must remain/

/** Commands under `apps` and at the top. */
const verbs: Readonly<Record<string, RealCommand>> = {
  deploy: { works: 'web', refused: 'huge', says: noCapacity, missing: gone },
  build: { works: 'built', refused: 'web', says: /has no build yet/, missing: gone },
  status: { works: 'web', missing: gone, ...viewer },
  logs: { works: 'web', missing: gone, refused: 'web --tail 1001', ...observer },
  scale: { works: 'web 2', missing: `${gone} 2`, refused: 'web 1001' },
  rollback: { works: '-p {ran-project} {ran}', missing: 'git', refused: `fn ${gone}`, others: `web ${gone}` },
}

/** @param key begins the names of the variables that are taken away, which are others for each of the two commands. */
const variables = (key: string): Readonly<Record<string, RealCommand>> => ({
  'env list': { works: 'web', missing: gone, ...observer },
  'env set': { works: 'web COLOUR=green', missing: `${gone} A=1`, refused: 'web lower=1' },
  'env unset': { works: `web ${key}_{N}`, missing: 'web NONE' },
  'env import': {
    works: 'fn --file -',
    refused: 'fn --file -',
    missing: `${gone} --file -`,
    input: 'A=1\n',
    refusedInput: 'lower=1\n',
  },
})

const under = (group: string, commands: Readonly<Record<string, RealCommand>>) =>
  Object.fromEntries(Object.entries(commands).map(([name, row]) => [`${group} ${name}`, row]))

/** Flags by which a command does something else. */
const otherWays: Readonly<Record<string, RealCommand>> = {
  'scale --sleep-after': { works: '300 web', missing: `300 ${gone}`, refused: '29 web' },
  'scale --always-on': { works: 'web', missing: gone },
  'build --cancel': { works: 'built', refused: 'web', says: /has no build yet/, missing: gone },
  'logs --build': { works: 'built', missing: gone, ...observer },
}

export const realCommands: Readonly<Record<string, RealCommand>> = {
  ...verbs,
  ...under('apps', verbs),
  ...variables('TOP'),
  ...under('apps', variables('BELOW')),
  ...otherWays,
  'apps list': { works: '', ...viewer },
  'apps get': { works: 'web', missing: gone, ...viewer },
  'apps create': {
    works: 'made-{n} --image nginx:1',
    refused: 'UPPER --image nginx:1',
    missing: '-p proj-00000000 x --image nginx:1',
  },
  'apps attach': {
    works: 'web db --kind database',
    refused: 'git db --kind database',
    says: /already has a variable named DATABASE_URL/,
    missing: `web ${gone} --kind database`,
  },
  'apps delete': { works: 'app-{n}', missing: gone },
  'apps deployments': { works: 'web', missing: gone, ...viewer },
  'apps builds': { works: 'git', missing: gone, ...observer },
  'apps copies': { works: 'web', missing: gone, ...observer },
  'apps compare': { works: '{ran} {earlier}', missing: `{ran} ${gone}` },
  'apps deploy-key': { works: 'git', missing: gone, ...observer },
  'apps git-webhook': { works: 'git', missing: gone },
  'apps set': { works: 'web --replicas 1', missing: `${gone} --replicas 1`, refused: 'web --port 70000' },
  'apps rename': { works: 'web Shop', missing: `${gone} Shop`, refused: `web ${'x'.repeat(254)}` },
  'apps retry': { works: 'failed-{n}', refused: 'web', says: /can be retried/, missing: gone },
  'apps pending': { works: 'web', missing: gone },
  'apps discard': { works: 'web', missing: gone },
  'apps pods': { works: 'web', missing: gone, ...observer },
  'apps clear-host': { works: 'web', missing: gone },
  'apps share-variables': { works: 'web', missing: gone, refused: 'web lower' },
  'functions triggers list': { works: 'fn', missing: gone },
  'functions triggers add': {
    works: 'fn nightly --schedule @daily',
    missing: `${gone} nightly --schedule @daily`,
    refused: 'fn nightly --schedule never',
  },
  // A viewer sees no schedules, so there is none to take away.
  'functions triggers remove': { works: 'fn removed-{n}', missing: 'fn none', ...viewer },
  'functions triggers run': { works: '{ran-fn} nightly', refused: 'fn nightly', says: /deploy/, missing: 'fn none' },
  'functions invoke': { works: '{ran-fn}', refused: 'fn', says: /has no address/, missing: gone },
  metrics: { works: '{ran}', refused: 'web', says: /no metrics/, missing: gone, ...viewer },
  open: { works: 'web', missing: gone, ...viewer },
  ...dataCommands,
  'projects list': { works: '', ...viewer },
  'projects get': { works: '{project}', missing: 'proj-00000000', ...viewer },
  'projects create': { works: 'made-{n}', refused: 'x --region NOT_A_REGION' },
  'projects set': {
    works: '--name Shop',
    refused: '--region NOT_A_REGION',
    missing: '-p proj-00000000 --name Shop',
  },
  'projects delete': { works: '{project-n}', missing: 'proj-00000000' },
  'projects deploy': { works: '', refused: '-e none', says: noEnvironment, missing: '-p proj-00000000' },
  'projects pending': { works: '', refused: '-e none', says: noEnvironment, missing: '-p proj-00000000' },
  'projects capacity': { works: '', refused: '-e none', says: noEnvironment, missing: '-p proj-00000000' },
  'projects connections': { works: '', refused: '-e none', says: noEnvironment, missing: '-p proj-00000000' },
  'projects network': {
    works: '--isolation None',
    refused: '--isolation None --allow nowhere',
    missing: '-p proj-00000000 --isolation None',
  },
  'projects logs': { works: '', missing: '-p proj-00000000', refused: '--tail 100000', ...observer },
  'projects log-history': {
    works: '',
    refused: '-e none',
    says: noEnvironment,
    missing: '-p proj-00000000',
    ...observer,
  },
  'projects backup-storage': {
    works: '--remove on',
    refused: '--connection none',
    missing: '-p proj-00000000 --remove on',
  },
  'projects connect-githost': { works: '', refused: '-e none', says: noEnvironment, missing: '-p proj-00000000' },
  'projects disconnect-githost': {
    works: '-p {linked-n}',
    refused: '',
    says: /is not connected to a git host/,
    missing: '-p proj-00000000',
  },
  'projects repositories': {
    works: '-p {linked-c}',
    refused: '',
    says: /is not connected to a git host/,
    missing: '-p proj-00000000',
    ...observer,
  },
  'environments list': { works: '', missing: '-p proj-00000000', ...viewer },
  'environments create': { works: 'made-{n}', refused: 'UPPER', missing: '-p proj-00000000 x' },
  'environments archive': { works: 'env-{n}', refused: gone, missing: '-p proj-00000000 x' },
  'environments pull-requests': {
    works: '--enabled off',
    refused: '--max-open 26',
    missing: '-p proj-00000000 --enabled off',
  },
  'environments close-pull-request': {
    works: 'acme/web --number 1',
    refused: 'acme/web --number 0',
    missing: '-p proj-00000000 acme/web --number 1',
  },
  'environments allow-pull-request': {
    works: 'acme/web --number 1 --commit 0123456789012345678901234567890123456789',
    refused: 'acme/web --number 1 --commit 0123456',
    missing: '-p proj-00000000 acme/web --number 1 --commit 0123456789012345678901234567890123456789',
  },
  'variables list': { works: '', missing: '-p proj-00000000', ...viewer },
  'variables set': { works: 'A=1', refused: 'lower --value 1', missing: '-p proj-00000000 A --value 1' },
  'variables unset': { works: 'SHARED_{N}', refused: 'lower', missing: '-p proj-00000000 NONE' },
  'webhooks list': { works: '', missing: '-p proj-00000000', ...viewer },
  'webhooks add': {
    works: '--to https://93.184.215.14/hook',
    refused: '--to nowhere',
    missing: '-p proj-00000000 --to https://93.184.215.14/hook',
  },
  'webhooks set': {
    works: '{hook} --disabled on',
    missing: `${gone} --to https://93.184.215.14/hook`,
    refused: '{hook} --to nowhere',
  },
  'webhooks rotate': { works: '{hook}', missing: gone },
  'webhooks test': { works: '{hook-received}', missing: gone },
  'webhooks redeliver': { works: '{delivery}', missing: noRun, refused: gone },
  'webhooks delete': { works: '{hook-n}', missing: gone },
  'templates list': { works: '', ...observer },
  'templates deploy': { works: '{template}', refused: '{template} -e none', says: noEnvironment, missing: gone },
  'compliance show': { works: '', missing: '-p proj-00000000', ...viewer },
  'compliance set': {
    works: '-p {linked-a} pci',
    refused: 'none',
    says: /no node carries the tag none/,
    missing: '-p proj-00000000 eu',
  },
  'compliance clear': { works: '', missing: '-p proj-00000000' },
  'nodes list': { works: '', ...viewer },
  'nodes tag': { works: '{node} fast', missing: `${gone} fast`, refused: '{node} UPPER_' },
  usage: { works: '', ...viewer },
  'runs list': { works: '', refused: '--limit 100000', ...observer },
  'runs show': { works: '{delivery}', missing: noRun, refused: gone, ...observer },
  'clouds list': { works: '' },
  'clouds create': {
    works: 'aws-{n} --provider PlanetScale --organization acme --service-token -',
    refused: 'UPPER --provider AWS',
    missing: '-p proj-00000000 x --provider PlanetScale --organization acme --service-token -',
    input: 'id:token\n',
  },
  'clouds orphans': { works: '' },
  'settings registry show': { works: '' },
  'settings registry set': { works: 'registry.example.com/team', refused: 'http://nowhere' },
  'settings registry clear': { works: '' },
  'settings domain show': { works: '' },
  'settings domain set': { works: '--root example.com', refused: '--root UPPER_' },
  'settings domain clear': { works: '' },
  'settings dns show': { works: '' },
  'settings dns set': {
    works: '--account-id a --zone-name example.com --zone-id z --api-token -',
    refused: '--zone-name UPPER_',
    input: 'token\n',
  },
  'settings dns clear': { works: '' },
  'settings githost show': { works: '' },
  'settings githost set': {
    works:
      '--app-id 4711 --client-id Iv1.abc --slug svc-acme --client-secret @{word-file} --webhook-secret @{word-file} --private-key @{key-file}',
    refused: '--app-id x',
  },
  'settings githost clear': { works: '' },
  whoami: { works: '', ...viewer },
  openapi: { works: '', ...viewer },
  version: { works: '', prints: true, ...viewer },
  api: {
    works: 'GET /apps/web',
    missing: `GET /apps/${gone}`,
    refused: 'GET /apps/web/logs -q tail=1001',
    prints: true,
    ...viewer,
  },
  'tokens list': { works: '', by: 'password' },
  'tokens create': { works: 'made', refused: 'made --expires-in-days 4000', by: 'password' },
  'tokens create-for-environment': { works: 'made', refused: '-p proj-00000000 made', by: 'password' },
  'tokens revoke': { works: '{token-n}', missing: gone, by: 'password' },
  'tokens services': { works: '', ...viewer },
  'tokens deploy': { works: '', refused: '--token {full-token}', says: noCapacity, by: 'project token' },
  'users list': { works: '', by: 'password' },
  'users add': {
    works: 'user-{n} --password-stdin',
    refused: 'UPPER! --password-stdin',
    by: 'password',
    input: passwords,
  },
  'users set-password': {
    works: 'kept-a --password-stdin',
    refused: 'kept-a --password-stdin',
    missing: `${gone} --password-stdin`,
    by: 'password',
    input: passwords,
    refusedInput: '{password}\nshort\n',
  },
  'users set-role': {
    works: 'kept-b viewer',
    refused: 'admin viewer',
    says: lastAdmin,
    missing: `${gone} viewer`,
    by: 'password',
  },
  'users remove': { works: 'removed-{n}', refused: 'admin', says: lastAdmin, missing: gone, by: 'password' },
}

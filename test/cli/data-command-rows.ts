/** The commands of databases, logical databases and buckets that are one request each, with their output. */

export const place = ['-p', 'proj-1a2b3c4d', '-e', 'production']
const placed = { project: 'proj-1a2b3c4d', environment: 'production' }
export const made = (kind: string, more: object = {}) => ({ ok: true, name: 'shop', kind, ...more })
const follow = (command: string, noun: string) =>
  `The ${noun} of shop was accepted\nFollow it with \`svc ${command} get shop\`\n`

export interface DataCommandRow {
  does: string
  args: string[]
  route: string
  answer?: object
  body?: object
  query?: string
  out: string
  err?: string
}

export const dataCommandRows: DataCommandRow[] = [
  {
    does: 'creates a draft of a database',
    args: ['databases', 'create', 'shop', ...place],
    route: 'POST /databases',
    answer: made('databases'),
    body: { ...placed, name: 'shop' },
    out: 'Created shop as a draft; deploy it with `svc databases deploy shop`\n',
  },
  {
    does: 'deploys a database with all of its settings at once',
    args: `db create shop --engine postgres --engine-version 16 --storage 20Gi --cpu 1 --memory 2Gi --ha --backups --backup-days 7 --deploy`
      .split(' ')
      .concat(place),
    route: 'POST /databases',
    answer: made('databases', { deployed: true }),
    body: {
      ...placed,
      ...{ name: 'shop', engine: 'postgres', version: '16', storageSize: '20Gi', cpu: '1', memory: '2Gi' },
      ...{ highAvailability: true, backups: true, backupRetentionDays: 7, deploy: true },
    },
    out: 'Created shop; its deploy was accepted, follow it with `svc databases get shop`\n',
  },
  {
    does: 'creates the shared server of the cluster, whatever project is set',
    args: ['databases', 'create-server', '--engine', 'mysql', '--region', 'eu', ...place],
    route: 'POST /databases',
    answer: made('databases'),
    body: { engine: 'mysql', region: 'eu' },
    out: 'Created shop as a draft; deploy it with `svc databases deploy shop`\n',
  },
  {
    does: 'deploys a database',
    args: ['databases', 'deploy', 'shop'],
    route: 'POST /databases/shop/deploy',
    body: {},
    out: follow('databases', 'deploy'),
  },
  {
    does: 'retries a database',
    args: ['databases', 'retry', 'shop'],
    route: 'POST /databases/shop/retry-provision',
    body: {},
    out: follow('databases', 'deploy'),
  },
  {
    does: 'deletes a database',
    args: ['-y', 'databases', 'delete', 'shop'],
    route: 'DELETE /databases/shop',
    query: '?confirmName=shop',
    out: 'Deleting shop\n',
  },
  {
    does: 'deletes a database without a last backup',
    args: ['-y', 'databases', 'delete', 'shop', '--no-backup'],
    route: 'DELETE /databases/shop',
    query: '?confirmName=shop&backupFirst=off',
    out: 'Deleting shop\n',
  },
  {
    does: 'deploys another version of a database without a backup',
    args: ['databases', 'deploy', 'shop', '--no-backup'],
    route: 'POST /databases/shop/deploy',
    body: { backupFirst: 'off' },
    out: follow('databases', 'deploy'),
  },
  {
    does: 'lets a database go whose cloud is gone',
    args: ['-y', 'databases', 'delete', 'shop', '--abandon'],
    route: 'DELETE /databases/shop',
    query: '?confirmName=shop&abandon=on',
    answer: { ok: true, stays: ['database shop-1 at PlanetScale'] },
    out: 'Deleting shop\n',
    err: 'Stays in the cloud: database shop-1 at PlanetScale\n',
  },
  {
    does: 'creates a logical database, called after its name',
    args: ['logical', 'create', 'shop-two', '--server', 'main', '--connection-limit', '5', ...place],
    route: 'POST /logical-databases',
    answer: made('logical-databases'),
    body: { ...placed, name: 'shop-two', server: 'main', database: 'shop_two', connectionLimit: 5 },
    out: 'Created shop; follow it with `svc logical-databases get shop`\n',
  },
  {
    does: 'creates a logical database that has another name on the server',
    args: ['logical-databases', 'create', '--server', 'main', '--database', 'orders', ...place],
    route: 'POST /logical-databases',
    answer: made('logical-databases'),
    body: { ...placed, server: 'main', database: 'orders' },
    out: 'Created shop; follow it with `svc logical-databases get shop`\n',
  },
  {
    does: 'creates a logical database that is backed up by itself',
    args: ['logical', 'create', 'shop', '--server', 'shared-postgres', '--backups', '--backup-days', '3', ...place],
    route: 'POST /logical-databases',
    answer: made('logical-databases'),
    body: {
      ...placed,
      name: 'shop',
      server: 'shared-postgres',
      database: 'shop',
      backups: true,
      backupRetentionDays: 3,
    },
    out: 'Created shop; follow it with `svc logical-databases get shop`\n',
  },
  {
    does: 'switches the backups of a logical database off',
    args: ['logical', 'set', 'shop', '--no-backups'],
    route: 'PATCH /logical-databases/shop',
    body: { backups: 'off' },
    answer: { ok: true, applied: 'live', liveChanged: true },
    out: 'Saved backups of shop\n',
  },
  {
    does: 'backs up a database',
    args: ['databases', 'backup', 'shop'],
    route: 'POST /databases/shop/backup',
    body: {},
    answer: { ok: true, archive: 'shop-20260131-100000' },
    out: 'Backing up shop as shop-20260131-100000; look with `svc databases archives shop`\n',
  },
  {
    does: 'backs a logical database up',
    args: ['logical', 'backup', 'shop'],
    route: 'POST /logical-databases/shop/backup',
    body: {},
    answer: { ok: true, archive: 'shop-20260131-100000' },
    out: 'Backing up shop as shop-20260131-100000; look with `svc databases archives shop`\n',
  },
  {
    does: 'deletes a logical database without a last backup',
    args: ['-y', 'logical', 'delete', 'shop', '--no-backup'],
    route: 'DELETE /logical-databases/shop',
    query: '?confirmName=shop&backupFirst=off',
    out: 'Deleting shop\n',
  },
  {
    does: 'retries a logical database',
    args: ['logical', 'retry', 'shop'],
    route: 'POST /logical-databases/shop/retry-provision',
    body: {},
    out: follow('logical-databases', 'creation'),
  },
  {
    does: 'creates a draft of a bucket that is backed up',
    args: ['stores', 'create', 'shop', '--bucket', 'photos', '--backups', '--backup-days', '3', ...place],
    route: 'POST /object-stores',
    answer: made('object-stores'),
    body: { ...placed, name: 'shop', bucket: 'photos', backups: true, backupRetentionDays: 3 },
    out: 'Created shop as a draft; deploy it with `svc stores deploy shop`\n',
  },
  {
    does: 'backs a bucket up',
    args: ['stores', 'backup', 'shop'],
    route: 'POST /object-stores/shop/backup',
    body: {},
    answer: { ok: true, archive: 'shop-20260131-100000' },
    out: 'Backing up shop as shop-20260131-100000; look with `svc databases archives shop`\n',
  },
  {
    does: 'restores a backup into a new bucket',
    args: ['stores', 'restore', 'old-20260131-100000'],
    route: 'POST /object-stores/restore',
    answer: made('object-stores', { deployed: true }),
    body: { archive: 'old-20260131-100000' },
    out: 'Created shop; its deploy was accepted, follow it with `svc stores get shop`\n',
  },
  {
    does: 'deletes a bucket without a last backup',
    args: ['-y', 'stores', 'delete', 'shop', '--no-backup'],
    route: 'DELETE /object-stores/shop',
    query: '?confirmName=shop&backupFirst=off',
    out: 'Deleting shop\n',
  },
  {
    does: 'creates a draft of a bucket',
    args: ['stores', 'create', 'shop', '--bucket', 'photos', ...place],
    route: 'POST /object-stores',
    answer: made('object-stores'),
    body: { ...placed, name: 'shop', bucket: 'photos' },
    out: 'Created shop as a draft; deploy it with `svc stores deploy shop`\n',
  },
  {
    does: 'deploys a remote bucket at once',
    args: [
      'stores',
      'create',
      '--remote',
      '--connection',
      'aws',
      '--region',
      'eu-west-1',
      '--bucket',
      'photos',
      '--create-bucket',
      '--deploy',
      ...place,
    ],
    route: 'POST /object-stores',
    answer: made('object-stores', { deployed: true }),
    body: {
      ...placed,
      placement: 'External',
      connectionRef: 'aws',
      region: 'eu-west-1',
      bucket: 'photos',
      createBucket: true,
      deploy: true,
    },
    out: 'Created shop; its deploy was accepted, follow it with `svc stores get shop`\n',
  },
  {
    does: 'creates the object server of the cluster',
    args: ['stores', 'create-server', 'files', '--cpu', '500m', '--memory', '1Gi', ...place],
    route: 'POST /object-stores',
    answer: made('object-stores'),
    body: { name: 'files', cpu: '500m', memory: '1Gi' },
    out: 'Created shop; follow it with `svc stores get shop`\n',
  },
  {
    does: 'deploys a bucket',
    args: ['buckets', 'deploy', 'shop'],
    route: 'POST /object-stores/shop/deploy',
    body: {},
    out: follow('stores', 'deploy'),
  },
]

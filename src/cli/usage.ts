/** Description of a command. `usage`: its arguments; `document`: place in the documents that has more. */
type Usage = { usage: string; document: string; text: string }

const admin = 'docs/operations.md#admin-commands'
const backups = 'docs/operations.md#backup-and-restore'

/** Every command, in the order in which `nines help` prints them. The first line of a text stands alone. */
export const usages = {
  serve: {
    usage: 'serve [--new] [--new-samples]',
    document: 'docs/install.md#start',
    text: `start the server (the default)
--new: in a data folder that has lost its nines.db, begin again
--new-samples: in one that has lost its samples.db, go on without the past of the embedded source`,
  },
  demo: {
    usage: 'demo',
    document: 'docs/install.md#start',
    text: 'start it with a demo: SLOs over a sample service with 35 days of past, and over nines itself',
  },
  import: {
    usage: 'import FILE.om [--organization ID_OR_NAME]',
    document: 'docs/sources.md#import-the-past',
    text: `bring samples of the past into the embedded source, while the server is stopped:
nines import FILE.om [--organization ID_OR_NAME]
FILE: OpenMetrics text with timestamps, what promtool tsdb create-blocks-from openmetrics
reads; gzipped where it ends in .gz; - for stdin`,
  },
  'export-samples': {
    usage: 'export-samples --from TIME --to TIME [--match SELECTOR …]',
    document: 'docs/sources.md#step-by-step',
    text: `send samples of the past to REMOTE_WRITE_URL, also while the server runs:
nines export-samples --from 2026-11-01 --to 2026-11-28T12:00:00Z [--match SELECTOR …]
one that was stopped goes on where it ended when it is called again`,
  },
  annotate: {
    usage: 'annotate --url URL --token-file FILE --service NAME [--kind KIND] [--label NAME=VALUE …]',
    document: 'docs/budgets.md#from-a-pipeline',
    text: `report a deploy to a nines that runs elsewhere: nines annotate --url https://nines.example.com
--token-file FILE --kind deploy --service checkout --version v1.4.2
[--label NAME=VALUE …] [--link URL] [--text TEXT] [--at TIME]`,
  },
  backup: {
    usage: 'backup [--verify] FILE',
    document: backups,
    text: `write databases and secrets into one file, also while the server runs: nines backup FILE
a FILE that ends in .zst is compressed; nines backup --verify FILE: writes FILE, then restores it as a check;
to check an existing backup: nines verify FILE`,
  },
  bucket: {
    usage: 'bucket list [--json] | bucket get NAME [FILE] | bucket put FILE',
    document: 'docs/operations.md#copies-in-a-bucket',
    text: `copies of backups in the bucket of BACKUP_S3_URL: nines bucket list [--json]
nines bucket get NAME [FILE]: fetches one; nines bucket put FILE: sends one`,
  },
  restore: {
    usage: 'restore FILE | restore --point TIME [--dry-run [--json]]',
    document: 'docs/operations.md#restore',
    text: `the same back into a data folder that is empty or does not exist: nines restore FILE
nines restore --point 2026-11-29T12:00:00Z: the newest backup at or before that time, of BACKUP_DIR or
the bucket; --dry-run: say what would be restored and what would refuse it, and change nothing`,
  },
  verify: {
    usage: 'verify [FILE]',
    document: 'docs/operations.md#verify',
    text: `read both databases whole, also while the server runs, and see that the secrets are theirs; of a backup
FILE too, which it unpacks into the temporary directory; exit code 1 if something is damaged`,
  },
  migrate: {
    usage: 'migrate --dry-run [--json]',
    document: 'docs/install.md#upgrade',
    text: `try on a copy what the next start of this version does with the database, also while the server of the
version before runs: from which schema to which, time and space; changes nothing`,
  },
  'rotate-secret': {
    usage: 'rotate-secret jwt|seal',
    document: 'docs/operations.md#secrets',
    text: `replace a secret of the data folder, while the server is stopped: nines rotate-secret jwt|seal
jwt: access tokens become invalid, and sessions go on; seal: stored credentials are sealed again`,
  },
  admin: {
    usage: 'admin list [--json] | admin reset-password EMAIL [--password-stdin] | admin disable-mfa EMAIL',
    document: admin,
    text: `look after accounts from the shell, also while the server runs: nines admin list [--json]
nines admin reset-password EMAIL: prints a link that sets a new password, good once, for an hour;
with --password-stdin it reads the new password, one line, and sets it at once
nines admin disable-mfa EMAIL: removes the second factor of somebody who has lost it`,
  },
  doctor: {
    usage: 'doctor [--json]',
    document: 'docs/operations.md#doctor',
    text: `check settings, data folder, disk, secrets, backup, port, sources, clock, certificates and mail, each with
what to do, also while the server runs; changes nothing; exit code 1 if something is wrong`,
  },
  healthcheck: {
    usage: 'healthcheck',
    document: 'docs/operations.md#health-checks',
    text: `ask the running server at HOST and PORT for /ready; exit code 0 if it is ready, else 1`,
  },
  config: {
    usage: 'config [--json]',
    document: 'docs/configuration.md',
    text: 'print the settings in effect and where each is from, secrets masked; --json: as JSON',
  },
  licenses: {
    usage: 'licenses',
    document: admin,
    text: 'print the licences of the software of others in the executable',
  },
  version: {
    usage: 'version [--json]',
    document: admin,
    text: 'print the version; --json: with those of what is inside, and of the database',
  },
  help: { usage: 'help [COMMAND]', document: admin, text: 'print this, or the help of a command' },
} satisfies Record<string, Usage>

export type CommandName = keyof typeof usages

const names = Object.keys(usages) as CommandName[]
const width = 10

/** Text of `nines help`. */
export const overview = `nines: service level objectives and error budgets from any Prometheus-compatible source

usage: nines [command] [--config FILE]

${names.map(entry).join('\n')}

Settings are environment variables, or lines NAME=value of the FILE that --config names. The ones to begin with:

  SOURCE_URL   source of each new organization: embedded (the default), which is inside of nines, or
               the base URL of a Prometheus-compatible one, such as http://localhost:9090
  DATA_DIR     folder of the database and the generated secrets (./data)
  HOST, PORT   where to listen (127.0.0.1, 8080)

nines COMMAND --help has more about each.
`

function entry(name: CommandName): string {
  const indent = ' '.repeat(width + 2)
  const [first = '', ...rest] = usages[name].text.split('\n')
  const head = name.length < width ? `  ${name.padEnd(width)}${first}` : `  ${name}\n${indent}${first}`
  return [head, ...rest.map((line) => `${indent}${line}`)].join('\n')
}

/** Text of `nines COMMAND --help`. */
export function helpOf(name: CommandName): string {
  const { usage, document, text } = usages[name]
  return `usage: nines ${usage} [--config FILE]

${text.replaceAll(/^(?=.)/gm, '  ')}

more: ${document}
`
}

/** Lines that follow the reason where the command line is wrong. `name`: the command, if it is known. */
export function correction(name: CommandName | undefined): string {
  return name === undefined
    ? 'usage: nines [command] [--config FILE]\nmore: nines help, and docs/operations.md\n'
    : `usage: nines ${usages[name].usage}\nmore: nines ${name} --help, and ${usages[name].document}\n`
}

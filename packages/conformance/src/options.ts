import { parseArgs } from 'node:util'
import * as z from 'zod'
import { levels } from './conformance-case.ts'
import { formats } from './report/create-reporter.ts'

/** How to use the program. */
export const usage = `Usage:
  homeward-conformance device [options] [-- command args...]
  homeward-conformance cloud <url> [options]

"device" plays a cloud that misbehaves and judges a device agent. It starts the command once for each case, with
CLOUD_URL, DEVICE_API_KEY, DEVICE_ROOT, DEVICE_STATE and DEVICE_INTERVAL_MS in its environment. Without a command it
prints these values and waits for the agent that you start by hand.

"cloud" judges a server. It makes devices of its own and removes them at the end.

Options:
  --level core|robust|chunked|selective|work|documents|catalog
                               what a device agent has to get right (default: robust); the last three include
                               robust, and several are separated by commas
  --format text|junit|json     how results are written to stdout (default: text)
  --only ID                    run this case only; can be repeated
  --list                       list the cases and end
  --interval SECONDS           shortest time between two heartbeats of the agent, and between two polls (default: 1)
  --patience SECONDS           longest wait for what must happen (default: 8 intervals, at least 60)
  --jobs N                     agents that run at the same time (default: 4)
  --host HOST, --port PORT     where the test cloud listens (default: 127.0.0.1 and a free port)
  --session-token TOKEN        API token of a user of the server; or the variable HOMEWARD_TOKEN

Exit codes: 0 if every case passed or was skipped, 1 if a case failed, 2 for invalid options.`

/** Thrown for arguments that cannot be used. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const names = {
  level: { type: 'string', default: 'robust' },
  format: { type: 'string', default: 'text' },
  only: { type: 'string', multiple: true, default: [] as string[] },
  list: { type: 'boolean', default: false },
  interval: { type: 'string', default: '1' },
  patience: { type: 'string' },
  jobs: { type: 'string', default: '4' },
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '0' },
  'session-token': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

const secondsOption = z.coerce
  .number('must be a number of seconds')
  .min(0.1, 'must be 0.1 or more')
  .max(3600, 'must be 3,600 or less')
const Values = z.object({
  level: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(levels, `must be ${levels.join(', ')}`))),
  format: z.enum(formats, `must be ${formats.join(', ')}`),
  only: z.array(z.string()),
  list: z.boolean(),
  help: z.boolean(),
  interval: secondsOption,
  patience: secondsOption.optional(),
  jobs: z.coerce.number('must be a number').int().min(1).max(64),
  host: z.string().min(1),
  port: z.coerce.number('must be a number').int().min(0).max(65_535),
  'session-token': z.string().optional(),
})

/** What the arguments ask for. */
export interface Options extends Omit<z.infer<typeof Values>, 'interval' | 'patience' | 'session-token'> {
  readonly subject: 'device' | 'cloud'
  /** Address of the server to judge. */
  readonly url: string
  /** What starts the agent; empty when nobody said. */
  readonly command: readonly string[]
  readonly intervalMs: number
  readonly patienceMs: number
  readonly sessionToken: string | undefined
}

/**
 * Reads the arguments, and the token from the environment, where other users of the machine cannot read it.
 *
 * @throws {UsageError} that says which argument cannot be used.
 */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): Options {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const command = end === -1 ? [] : args.slice(end + 1)
  const { values, positionals } = parse(own)
  const parsed = Values.safeParse(values)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new UsageError(`Reading the options failed: "--${issue?.path[0]?.toString()}" ${issue?.message}.`)
  }
  const [subject = '', url = '', ...more] = positionals
  const { interval, patience = Math.max(60, 8 * interval), 'session-token': token, ...rest } = parsed.data
  const options = {
    ...rest,
    url,
    command,
    intervalMs: interval * 1000,
    patienceMs: patience * 1000,
    sessionToken: token ?? environment['HOMEWARD_TOKEN'],
  }
  if (rest.help) return { ...options, subject: 'device' }
  if (subject !== 'device' && subject !== 'cloud')
    throw new UsageError('Reading the options failed: "device" or "cloud" is missing. Pass one of them.')
  checkPositionals(subject, url, more, rest.list)
  return { ...options, subject }
}

function checkPositionals(
  subject: 'device' | 'cloud',
  url: string,
  more: readonly string[],
  isList: boolean,
): void {
  const unexpected = subject === 'device' ? url : more[0]
  if (unexpected)
    throw new UsageError(
      `Reading the options failed: "${unexpected}" is not an option. Write the command after "--".`,
    )
  if (subject === 'device' || isList) return
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError(
      'Reading the options failed: the address of the server is missing. Pass an address such as http://127.0.0.1:3000.',
    )
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: names, allowPositionals: true })
  } catch (cause) {
    throw new UsageError(`Reading the options failed: ${(cause as Error).message}`, { cause })
  }
}

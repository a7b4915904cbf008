import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import * as z from 'zod'

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '::1'])

const port = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number')
    .transform(Number)
    .pipe(z.number().max(65_535))
    .default(fallback)

const Environment = z.object({
  HOST: z
    .string()
    .default('127.0.0.1')
    .refine((host) => loopbackHosts.has(host), {
      error:
        'must be 127.0.0.1, localhost or ::1: this trial server takes everybody who reaches it for the same user. ' +
        'To serve a network, mount @homeward/cloud-core in a host with real sessions',
    }),
  CLOUD_PORT: port(3000),
  HOMEWARD_HOME: z.string().min(1).default(join(homedir(), '.homeward')),
  HOMEWARD_DEVICE: z.enum(['on', 'off']).default('on'),
  DEVICE_INTERVAL_MS: z
    .string()
    .regex(/^\d+$/, 'must be milliseconds')
    .transform(Number)
    .pipe(z.number().min(100))
    .default(30_000),
})

/** What the environment chose. */
export interface Settings {
  readonly host: string
  /** 0 takes any free port. */
  readonly cloudPort: number
  readonly home: string
  readonly trialDevice: boolean
  readonly intervalMs: number
}

/**
 * Reads the settings from the environment. Empty variables count as absent.
 *
 * @throws {Error} that names every variable that cannot be used, and why.
 */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`Starting the server: the environment cannot be used.\n  ${problems.join('\n  ')}`)
  }
  const { HOST, CLOUD_PORT, HOMEWARD_HOME, HOMEWARD_DEVICE, DEVICE_INTERVAL_MS } = parsed.data
  return {
    host: HOST,
    cloudPort: CLOUD_PORT,
    home: resolve(HOMEWARD_HOME),
    trialDevice: HOMEWARD_DEVICE === 'on',
    intervalMs: DEVICE_INTERVAL_MS,
  }
}

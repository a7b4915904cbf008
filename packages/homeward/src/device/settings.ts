import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { Secret } from '@homeward/device-sdk'
import * as z from 'zod'
import { parseEnvironment } from '../settings/parse-environment.ts'

/** A variable that has to be there, and has to look like one. */
const needed = (pattern: RegExp, problem: string) => z.string(problem).regex(pattern, problem)

/** Pace of an agent. */
export const intervalVariable = z
  .string()
  .regex(/^\d+$/, 'must be milliseconds')
  .transform(Number)
  .pipe(z.number().min(100))
  .default(30_000)

const Environment = z.object({
  CLOUD_URL: needed(
    /^https?:\/\/[^\s@?#]+$/,
    'must be the address of the cloud, such as http://127.0.0.1:3000',
  ),
  DEVICE_API_KEY: needed(/^[\x21-\x7e]+$/, 'must be the key that the registration gave'),
  DEVICE_ROOTS: z
    .string(`must be the folders that may be searched and read, separated by "${delimiter}"`)
    .transform((list) =>
      list
        .split(delimiter)
        .filter(Boolean)
        .map((root) => resolve(root)),
    )
    .pipe(z.array(z.string()).min(1, `must name a folder; several are separated by "${delimiter}"`)),
  // Not in the data home of `npm start`, whose trial device has a state of its own there.
  DEVICE_STATE: z.string().default(() => join(homedir(), '.homeward-device')),
  DEVICE_INTERVAL_MS: intervalVariable,
})

/** What the environment chose. */
export interface Settings {
  readonly cloudUrl: string
  readonly apiKey: Secret
  /** Folders that can be searched and read. */
  readonly roots: readonly string[]
  /** Folder of the outbox and the audit log. */
  readonly stateFolder: string
  readonly intervalMs: number
}

/**
 * Reads the settings from the environment.
 *
 * @throws {Error} that names every variable that cannot be used, and why.
 */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const variables = parseEnvironment('Starting the device agent', Environment, environment)
  return {
    cloudUrl: variables.CLOUD_URL,
    apiKey: new Secret(variables.DEVICE_API_KEY),
    roots: variables.DEVICE_ROOTS,
    stateFolder: resolve(variables.DEVICE_STATE),
    intervalMs: variables.DEVICE_INTERVAL_MS,
  }
}

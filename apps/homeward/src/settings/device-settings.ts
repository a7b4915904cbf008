import { homedir, hostname } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { Secret } from '@homeward/device-sdk'
import * as z from 'zod'
import { consentProblems, type ConsentSettings, consentVariables, toConsent } from './consent-settings.ts'
import { parseEnvironment } from './parse-environment.ts'

/** A variable that has to be there, and has to look like one. */
const needed = (pattern: RegExp, problem: string) => z.string(problem).regex(pattern, problem)

/** Pace of an agent. */
export const intervalVariable = z
  .string()
  .regex(/^\d+$/, 'must be milliseconds')
  .transform(Number)
  .pipe(z.number().min(100))
  .default(30_000)

/** Whether the cloud may search for text inside files. */
export const contentSearchVariable = z.enum(['on', 'off'], 'must be "on" or "off"').default('off')

/** Whether the cloud keeps the list of files, for searches while the device is off. */
const catalogVariable = z.enum(['on', 'off'], 'must be "on" or "off"').default('off')

/** Whether the cloud learns which folders the device opens. */
export const announceFoldersVariable = z.enum(['on', 'off'], 'must be "on" or "off"').default('on')

/** How the cloud is asked for work. */
const workVariable = z.enum(['held', 'poll'], 'must be "held" or "poll"').default('held')

/** How much the agent does while nothing is asked of it. */
const activityVariable = z.enum(['normal', 'lowest'], 'must be "normal" or "lowest"').default('normal')

/** Milliseconds between two looks of the index at all folders. */
const indexIntervalVariable = z
  .string()
  .regex(/^\d{1,9}$/, 'must be milliseconds')
  .transform(Number)
  .pipe(z.number().min(1000))
  .default(300_000)

/** A limit; absent for none. */
const limitVariable = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, 'must be an integer')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .optional()

const cloudUrl = needed(
  /^https?:\/\/[^\s@?#]+$/,
  'must be the address of the cloud, such as http://127.0.0.1:3000',
)

const isOfHome = (root: string): boolean => /^~(?:[\\/]|$)/.test(root)

/** What an agent reads whose roots and state are arguments. */
const Common = z.object({
  CLOUD_URL: cloudUrl.optional(),
  DEVICE_API_KEY: needed(
    /^(?!["'])[\x21-\x7e]+$/,
    'must be the key that the registration gave, without quotes',
  ).optional(),
  ENROLLMENT_TOKEN: needed(
    /^hwe_[\w-]+$/,
    'must be an enrollment token, which starts with "hwe_"',
  ).optional(),
  DEVICE_NAME: z
    .string()
    .max(200, 'must have at most 200 characters')
    .default(() => hostname()),
  DEVICE_ANNOUNCE_FOLDERS: announceFoldersVariable,
  DEVICE_CONTENT_SEARCH: contentSearchVariable,
  DEVICE_CATALOG: catalogVariable,
  DEVICE_CONTENT_INDEX: z.enum(['on', 'off'], 'must be "on" or "off"').default('off'),
  DEVICE_INTERVAL_MS: intervalVariable,
  DEVICE_WORK: workVariable,
  DEVICE_ACTIVITY: activityVariable,
  DEVICE_INDEX: z.enum(['on', 'off'], 'must be "on" or "off"').default('on'),
  DEVICE_INDEX_INTERVAL_MS: indexIntervalVariable,
  DEVICE_MAX_UPLOAD_BYTES_PER_SECOND: limitVariable(1024, 1e12),
  DEVICE_MAX_CPU_PERCENT: limitVariable(1, 100),
  ...consentVariables.shape,
})

/** Names of what an agent reads whose roots and state are arguments. */
export const pairedVariables: readonly string[] = Object.keys(Common.shape)

const Environment = z.object({
  ...Common.shape,
  CLOUD_URL: cloudUrl,
  DEVICE_ROOTS: z
    .string(`must be the folders that may be searched and read, separated by "${delimiter}"`)
    .transform((list) =>
      list
        .split(delimiter)
        .filter(Boolean)
        .map((root) => (isOfHome(root) ? root : resolve(root))),
    )
    .refine(
      (roots) => !roots.some(isOfHome),
      'must not begin with "~", which only a shell replaces. Write the full path',
    )
    .pipe(z.array(z.string()).min(1, `must name a folder; several are separated by "${delimiter}"`)),
  // Not in the data home of `npm start`, whose trial device has a state of its own there.
  DEVICE_STATE: z.string().default(() => join(homedir(), '.homeward-device')),
})

/** What the environment chose. */
interface Settings {
  readonly cloudUrl: string
  /** Undefined: the device enrolls with a key of its own. */
  readonly apiKey: Secret | undefined
  /** Lets the device in without a user, if it enrolls. */
  readonly enrollmentToken: Secret | undefined
  /** Name that users see, if the device enrolls. */
  readonly name: string
  /** Folders that can be searched and read. */
  readonly roots: readonly string[]
  /** Folder of the outbox, the audit log, and the key of a device that enrolls. */
  readonly stateFolder: string
  /** Whether the cloud learns which folders the device opens. */
  readonly announceFolders: boolean
  /** Whether the cloud may search for text inside files. */
  readonly contentSearch: boolean
  /** Whether the cloud gets the list of files, for searches while the device is off. */
  readonly catalog: boolean
  /** Whether the words of files are in the index, if the cloud may search for them. */
  readonly contentIndex: boolean
  readonly intervalMs: number
  /** How the cloud is asked for work. */
  readonly work: 'held' | 'poll'
  readonly activity: 'normal' | 'lowest'
  /** Milliseconds between two looks of the index of files; undefined: searches walk the folders. */
  readonly indexIntervalMs: number | undefined
  /** Bytes a second that uploads take at most. */
  readonly maxUploadBytesPerSecond: number | undefined
  /** Percent of one core that the process takes at most. */
  readonly maxCpuPercent: number | undefined
  /** How the owner is asked before anything leaves the device; undefined: nobody is. */
  readonly consent: ConsentSettings | undefined
}

/**
 * Reads the settings from the environment.
 *
 * @throws {Error} that names every variable that cannot be used, and why.
 */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const variables = parseEnvironment(
    'Starting the device agent',
    Environment,
    environment,
    consentProblems(environment),
  )
  return {
    cloudUrl: variables.CLOUD_URL,
    roots: variables.DEVICE_ROOTS,
    stateFolder: resolve(variables.DEVICE_STATE),
    ...toCommon(variables),
  }
}

/** What the environment chose for an agent whose roots and state are arguments. */
type PairedSettings = Omit<Settings, 'cloudUrl' | 'roots' | 'stateFolder'> & {
  /** Undefined: the pairing says it. */
  readonly cloudUrl: string | undefined
}

/**
 * Reads the settings of an agent whose roots and state are arguments.
 *
 * @throws {Error} that names every variable that cannot be used, and why.
 */
export function readPairedSettings(environment: NodeJS.ProcessEnv): PairedSettings {
  const variables = parseEnvironment(
    'Running the device agent',
    Common,
    environment,
    consentProblems(environment),
  )
  return { cloudUrl: variables.CLOUD_URL, ...toCommon(variables) }
}

function toCommon(variables: z.output<typeof Common>) {
  return {
    apiKey: toSecret(variables.DEVICE_API_KEY),
    enrollmentToken: toSecret(variables.ENROLLMENT_TOKEN),
    name: variables.DEVICE_NAME,
    announceFolders: variables.DEVICE_ANNOUNCE_FOLDERS === 'on',
    contentSearch: variables.DEVICE_CONTENT_SEARCH === 'on',
    catalog: variables.DEVICE_CATALOG === 'on',
    contentIndex: variables.DEVICE_CONTENT_INDEX === 'on',
    intervalMs: variables.DEVICE_INTERVAL_MS,
    work: variables.DEVICE_WORK,
    activity: variables.DEVICE_ACTIVITY,
    indexIntervalMs: variables.DEVICE_INDEX === 'on' ? variables.DEVICE_INDEX_INTERVAL_MS : undefined,
    maxUploadBytesPerSecond: variables.DEVICE_MAX_UPLOAD_BYTES_PER_SECOND,
    maxCpuPercent: variables.DEVICE_MAX_CPU_PERCENT,
    consent: toConsent(variables),
  }
}

const toSecret = (text: string | undefined): Secret | undefined =>
  text === undefined ? undefined : new Secret(text)

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { parseEnvironment } from './parse-environment.ts'
import { announceFoldersVariable, contentSearchVariable, intervalVariable } from './device-settings.ts'
import {
  cloudVariables,
  missingVariables,
  nameList,
  toCloudSettings,
  type CloudSettings,
} from './cloud-settings.ts'

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '::1'])

const port = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number')
    .transform(Number)
    .pipe(z.number().max(65_535))
    .default(fallback)

const hostName = z.string().regex(/^[\w.:-]+$/, 'must be a host name or an address, without a port')

const postgresAddress = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
  // `postgres://ann@/db?host=/run/postgresql` is one too, over a socket
  .refine(
    (address) => URL.canParse(address.replace('@/', '@socket/')),
    'must be an address; in a password, % # / and ? are written as %25 %23 %2F and %3F',
  )

const Environment = z.object({
  ...cloudVariables,
  HOST: hostName.default('127.0.0.1'),
  CLOUD_HOST: hostName.optional(),
  PORT: port(3010),
  CLOUD_PORT: port(3000),
  ALLOWED_HOSTS: nameList
    .pipe(
      z.array(
        z
          .string()
          .regex(/^[\w.:[\]-]+$/, 'must be host names, separated by commas')
          .toLowerCase(),
      ),
    )
    .default([]),
  // asked for when it is needed: a user without a home has to name one
  HOMEWARD_HOME: z.string().default(() => join(homedir(), '.homeward')),
  DATABASE_URL: postgresAddress.optional(),
  DATABASE_DIRECT_URL: postgresAddress.optional(),
  PRESENCE_DATABASE_URL: postgresAddress.optional(),
  HOMEWARD_DEVICE: z.enum(['on', 'off']).default('on'),
  DASHBOARD: z.enum(['on', 'off']).default('on'),
  DEVICE_ANNOUNCE_FOLDERS: announceFoldersVariable,
  DEVICE_CONTENT_SEARCH: contentSearchVariable,
  DEVICE_INTERVAL_MS: intervalVariable,
  DEMO_MODEL: z
    .string()
    .regex(/^[^/\s]+\/\S+$/, 'must be <provider>/<model id>')
    .optional(),
})

/** What the environment chose. Keys and base URLs of model providers and `API_TOKEN` are read by the runtime. */
export interface Settings {
  /** Where the agent platform listens. */
  readonly host: string
  /**
   * Where the device cloud listens. Without an identity provider, devices can reach it on any address, but users only on
   * this machine; so it follows `host` only with one.
   */
  readonly cloudHost: string
  /** 0 takes any free port. */
  readonly port: number
  /** 0 takes any free port. */
  readonly cloudPort: number
  /** Names to answer to besides the own ones: those of a proxy in front. The device cloud does so for known users only. */
  readonly allowedHosts: readonly string[]
  readonly home: string
  /** Where files go, and who the users of the device cloud are. Holds secrets. */
  readonly cloud: CloudSettings
  /** Postgres for what the device cloud and agents keep, and for tasks. Holds a password. */
  readonly databaseUrl: string | undefined
  /** The same database past a pooler, for what listens. Holds a password. */
  readonly databaseDirectUrl: string | undefined
  /** Another Postgres database for when devices were last seen; needs `databaseUrl`. Holds a password. */
  readonly presenceDatabaseUrl: string | undefined
  readonly trialDevice: boolean
  /** Whether the device cloud learns which folders the trial device opens. */
  readonly announceFolders: boolean
  /** Whether searches may look for text inside the files of the trial device. */
  readonly contentSearch: boolean
  /** Whether both servers show the dashboard. */
  readonly dashboard: boolean
  readonly intervalMs: number
  readonly demoModel: string | undefined
}

/** Whether only this machine reaches a server that listens there. */
export function isLoopback(host: string): boolean {
  return loopbackHosts.has(host)
}

/** Whether administrators of agents are named. Everybody else then needs an access token, also on this machine. */
export function namesAdmins({ cloud }: Pick<Settings, 'cloud'>): boolean {
  return (cloud.oidc?.signIn?.admins.length ?? 0) > 0
}

/** What only the server itself may know. The rest of the environment is there for skills that name it. */
const ownSecrets = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'PRESENCE_DATABASE_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'DRIVE_KEY_FILE',
  'OIDC_CLIENT_SECRET',
  'SESSION_SECRET',
] as const

/**
 * Reads the settings, and takes what is secret of them out of the environment: no skill that names it is given it, and
 * no program that is started later inherits it.
 *
 * @throws {Error} as {@link readSettings} does.
 */
export function takeSettings(environment: NodeJS.ProcessEnv): Settings {
  const settings = readSettings(environment)
  for (const name of ownSecrets) delete environment[name]
  return settings
}

function missingFrom(variables: z.infer<typeof Environment>): readonly string[] {
  const others = ['DATABASE_DIRECT_URL', 'PRESENCE_DATABASE_URL'] as const
  const lonely =
    variables.DATABASE_URL === undefined ? others.filter((name) => variables[name] !== undefined) : []
  return [
    ...missingVariables(variables),
    ...lonely.map((name) => `DATABASE_URL: is required if ${name} is set`),
  ]
}

/**
 * Reads the settings from the environment.
 *
 * @throws {Error} that names every variable that cannot be used, and why.
 */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const variables = parseEnvironment('Starting the server', Environment, environment, missingFrom)
  const { HOST, PORT, CLOUD_PORT, HOMEWARD_HOME, HOMEWARD_DEVICE, ...rest } = variables
  return {
    host: HOST,
    cloudHost: rest.CLOUD_HOST ?? (isLoopback(HOST) || rest.OIDC_ISSUER !== undefined ? HOST : '127.0.0.1'),
    port: PORT,
    cloudPort: CLOUD_PORT,
    allowedHosts: rest.ALLOWED_HOSTS,
    home: resolve(HOMEWARD_HOME),
    cloud: toCloudSettings(variables),
    databaseUrl: rest.DATABASE_URL,
    databaseDirectUrl: rest.DATABASE_DIRECT_URL,
    presenceDatabaseUrl: rest.PRESENCE_DATABASE_URL,
    trialDevice: HOMEWARD_DEVICE === 'on',
    announceFolders: rest.DEVICE_ANNOUNCE_FOLDERS === 'on',
    contentSearch: rest.DEVICE_CONTENT_SEARCH === 'on',
    dashboard: rest.DASHBOARD === 'on',
    intervalMs: rest.DEVICE_INTERVAL_MS,
    demoModel: rest.DEMO_MODEL,
  }
}

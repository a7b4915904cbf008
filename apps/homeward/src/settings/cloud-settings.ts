import { isIP } from 'node:net'
import type { QuotaOptions, RetentionOptions } from '@homeward/cloud-core'
import * as z from 'zod'

const address = z.string().regex(/^https?:\/\/[^\s@]+$/, 'must be an http:// or https:// address')
/** An address at which nobody on the way can answer in the provider's place. */
const issuer = address.refine(
  (text) => /^https:|^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/]|$)/.test(text),
  'must be an https:// address; http:// on this machine only',
)
/** Names separated by commas; what is empty between two of them does not count. */
export const nameList = z
  .string()
  .transform((list) =>
    list
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  )
  .pipe(z.array(z.string()).min(1, 'must be names, separated by commas'))

const days = (fallback: number) =>
  z
    .string()
    .regex(/^(\d+|forever)$/, 'must be an integer number of days, or forever')
    .transform((text) => (text === 'forever' ? ('forever' as const) : Number(text)))
    .pipe(z.union([z.literal('forever'), z.number().min(1).max(36_500)]))
    .default(fallback)

const quota = z
  .string()
  .regex(/^\d{1,15}$/, 'must be an integer')
  .transform(Number)

const longSecret = z
  .string()
  .min(32, 'must have at least 32 characters, such as `openssl rand -hex 32` prints')

/** Variables of the device cloud: where files go, and who its users are. */
export const cloudVariables = {
  CLOUD_PUBLIC_URL: address.optional(),
  TRUSTED_PROXIES: nameList
    .pipe(z.array(z.string().refine((text) => isIP(text) !== 0, 'must be addresses, separated by commas')))
    .default([]),
  OFFLINE_SHARE: z
    .string()
    .regex(/^\d*\.?\d+$/, 'must be a number, such as 0.2')
    .transform(Number)
    .pipe(z.number().gt(0).max(1))
    .optional(),
  S3_ENDPOINT: address.optional(),
  S3_REGION: z
    .string()
    .regex(/^[\w-]+$/, 'must be the name of a region')
    .default('auto'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_PUBLIC_URL: address.optional(),
  S3_LINK_SECONDS: z
    .string()
    .regex(/^\d+$/, 'must be seconds')
    .transform(Number)
    .pipe(z.number().min(1).max(604_800))
    .default(3600),
  DRIVE_KEY_FILE: z.string().optional(),
  DRIVE_FOLDER_ID: z
    .string()
    .regex(/^[\w-]+$/, 'must be the id of a folder: the last part of its address')
    .optional(),
  RETENTION_RESULTS_DAYS: days(90),
  RETENTION_SEARCHES_DAYS: days(365),
  RETENTION_FILES_DAYS: days(90),
  QUOTA_DEVICES: quota.optional(),
  QUOTA_PENDING_PER_DEVICE: quota.default(1000),
  QUOTA_SEARCHES_PER_DAY: quota.optional(),
  QUOTA_STORED_BYTES: quota.optional(),
  OIDC_ISSUER: issuer.optional(),
  OIDC_AUDIENCE: nameList.optional(),
  OIDC_CLIENTS: nameList.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().max(60, 'must have at most 60 characters').optional(),
  OIDC_ADMINS: nameList.optional(),
  SESSION_SECRET: longSecret.optional(),
}

const Variables = z.object(cloudVariables)
type Variables = z.infer<typeof Variables>

/** An S3-compatible bucket. Holds a secret. */
export interface S3Settings {
  /** Address of the bucket. */
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Where its objects can be read publicly; without it links are signed. */
  readonly publicUrl: string | undefined
  /** How long a signed link is good. */
  readonly linkSeconds: number
}

/** A client of the identity provider, with which people sign in on the pages. Holds secrets. */
export interface SignInSettings {
  readonly issuer: string
  readonly clientId: string
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined
  /** Of the provider, as people know it. */
  readonly name: string
  /** Subjects and verified e-mail addresses of those who may administer agents. */
  readonly admins: readonly string[]
  /** Undefined for the secret of the data home. */
  readonly sessionSecret: string | undefined
}

/** What the environment chose for the device cloud. */
export interface CloudSettings {
  /** Scheme and host that addresses of files start with. */
  readonly publicUrl: string | undefined
  /** Addresses of proxies whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly string[]
  /** Share of offline devices above which their owner is told. @default 0.2 */
  readonly offlineShare: number | undefined
  readonly s3: S3Settings | undefined
  /** Path of a service account's key file, and the folder that files go to. */
  readonly drive: { readonly keyFile: string; readonly folderId: string } | undefined
  /** How long results, searches and files are stored. */
  readonly retention: RetentionOptions
  /** Limits for each user. */
  readonly quotas: QuotaOptions
  /** The identity provider whose tokens count; without one, everybody on this machine is the same user. */
  readonly oidc:
    | {
        readonly issuer: string
        /** Undefined if tokens of the provider are not accepted, only sessions of the pages. */
        readonly audience: readonly string[] | undefined
        readonly clients: readonly string[] | undefined
        /** Undefined if the pages take tokens only. */
        readonly signIn: SignInSettings | undefined
      }
    | undefined
}

/** What is missing of variables that belong together, by variable. */
export function missingVariables(variables: Variables): readonly string[] {
  const groups = [
    ['S3_ENDPOINT', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
    ['DRIVE_KEY_FILE', 'DRIVE_FOLDER_ID'],
  ] as const
  const missing = groups.flatMap((group) => {
    const set = group.filter((name) => variables[name] !== undefined)
    const unset = group.filter((name) => variables[name] === undefined)
    return set.length === 0 ? [] : unset.map((name) => `${name}: is required if ${set[0]} is set`)
  })
  const lone = [
    ['S3_PUBLIC_URL', 'S3_ENDPOINT'],
    ['OIDC_AUDIENCE', 'OIDC_ISSUER'],
    ['OIDC_CLIENTS', 'OIDC_ISSUER'],
    ['OIDC_CLIENT_ID', 'OIDC_ISSUER'],
    ['OIDC_CLIENT_SECRET', 'OIDC_CLIENT_ID'],
    ['OIDC_NAME', 'OIDC_CLIENT_ID'],
    ['OIDC_ADMINS', 'OIDC_CLIENT_ID'],
    ['SESSION_SECRET', 'OIDC_CLIENT_ID'],
  ] as const
  const { OIDC_ISSUER, OIDC_AUDIENCE, OIDC_CLIENT_ID } = variables
  const isUnused = OIDC_ISSUER !== undefined && OIDC_AUDIENCE === undefined && OIDC_CLIENT_ID === undefined
  return [
    ...missing,
    ...(isUnused ? ['OIDC_AUDIENCE: is required if OIDC_ISSUER is set without OIDC_CLIENT_ID'] : []),
    ...lone
      .filter(([name, needed]) => variables[name] !== undefined && variables[needed] === undefined)
      .map(([name, needed]) => `${needed}: is required if ${name} is set`),
  ]
}

/** Settings of variables of which none is missing. */
export function toCloudSettings(variables: Variables): CloudSettings {
  const { S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = variables
  const { DRIVE_KEY_FILE, DRIVE_FOLDER_ID } = variables
  return {
    publicUrl: variables.CLOUD_PUBLIC_URL,
    trustedProxies: variables.TRUSTED_PROXIES,
    offlineShare: variables.OFFLINE_SHARE,
    s3:
      S3_ENDPOINT !== undefined && S3_ACCESS_KEY_ID !== undefined && S3_SECRET_ACCESS_KEY !== undefined
        ? {
            endpoint: S3_ENDPOINT,
            region: variables.S3_REGION,
            accessKeyId: S3_ACCESS_KEY_ID,
            secretAccessKey: S3_SECRET_ACCESS_KEY,
            publicUrl: variables.S3_PUBLIC_URL,
            linkSeconds: variables.S3_LINK_SECONDS,
          }
        : undefined,
    drive:
      DRIVE_KEY_FILE !== undefined && DRIVE_FOLDER_ID !== undefined
        ? { keyFile: DRIVE_KEY_FILE, folderId: DRIVE_FOLDER_ID }
        : undefined,
    quotas: {
      ...toQuota('devices', variables.QUOTA_DEVICES),
      ...toQuota('pendingPerDevice', variables.QUOTA_PENDING_PER_DEVICE),
      ...toQuota('searchesPerDay', variables.QUOTA_SEARCHES_PER_DAY),
      ...toQuota('storedBytes', variables.QUOTA_STORED_BYTES),
    },
    retention: {
      resultsDays: variables.RETENTION_RESULTS_DAYS,
      searchesDays: variables.RETENTION_SEARCHES_DAYS,
      filesDays: variables.RETENTION_FILES_DAYS,
    },
    oidc: toOidcSettings(variables),
  }
}

function toOidcSettings(variables: Variables): CloudSettings['oidc'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = variables
  if (issuer === undefined) return undefined
  const signIn: SignInSettings | undefined =
    clientId === undefined
      ? undefined
      : {
          issuer,
          clientId,
          clientSecret: variables.OIDC_CLIENT_SECRET,
          name: variables.OIDC_NAME ?? new URL(issuer).hostname,
          admins: variables.OIDC_ADMINS ?? [],
          sessionSecret: variables.SESSION_SECRET,
        }
  return { issuer, audience: variables.OIDC_AUDIENCE, clients: variables.OIDC_CLIENTS, signIn }
}

const toQuota = (name: keyof QuotaOptions, limit: number | undefined): QuotaOptions =>
  limit === undefined ? {} : { [name]: limit }

import { settingRows, type SettingKey } from '@homeward/contract/agent-platform'
import { variablesOf } from './setting-variables.ts'

const keyNames: ReadonlySet<string> = new Set([
  // the keys of the table, as Object.keys cannot say
  ...(Object.keys(settingRows) as SettingKey[])
    .filter((key) => settingRows[key].secret)
    .flatMap((key) => variablesOf(key)),
  // names under which the providers' own libraries look for their key
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GEMINI_API_KEY',
])
/** Where the platform's own database usually is told. */
const databaseNames: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'PRESENCE_DATABASE_URL',
  'PGPASSWORD',
])
// these make a program run other code than it was written to
const loaderNames =
  /^(LD_.*|DYLD_.*|NODE_OPTIONS|NODE_PATH|PYTHON(PATH|STARTUP|HOME)|BASH_ENV|ENV|IFS|PERL5(LIB|OPT)|RUBY(LIB|OPT))$/

/**
 * Whether a variable of the environment is the platform's own business: keys of model providers, tokens of the
 * platform and its channels, the way into its database, and what changes how programs are loaded. No tool is given it,
 * even when it names it.
 */
export function isReservedVariable(name: string): boolean {
  const upper = name.toUpperCase()
  return keyNames.has(upper) || databaseNames.has(upper) || loaderNames.test(upper)
}

/** Whether a variable holds a key or token of the platform itself: a secret setting under any of its names. */
export function isPlatformKey(name: string): boolean {
  return keyNames.has(name.toUpperCase())
}

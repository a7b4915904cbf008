import { settingRows } from '@homeward/contract/agent-platform'

const platformNames = new Set([
  ...Object.entries(settingRows)
    .filter(([, row]) => row.secret)
    .map(([key]) => key.toUpperCase()),
  // names under which the providers' own libraries look for their key
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GEMINI_API_KEY',
  // where the platform's own database usually is told
  'DATABASE_URL',
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
  return platformNames.has(upper) || loaderNames.test(upper)
}

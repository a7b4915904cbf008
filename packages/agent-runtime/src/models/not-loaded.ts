import { RuntimeError } from '../ports/runtime-error.ts'

/** What importing an optional package failed with: an error that names it, if it is not installed. */
export function notLoaded(title: string, packageName: string, cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return cause
  return new RuntimeError(
    'model_not_configured',
    `Choosing the model failed: ${title} needs the package ${packageName}. Install it with "npm install ${packageName}".`,
    { cause },
  )
}

import { RuntimeError } from '../ports/runtime-error.ts'

/** `ENOENT` and the like. */
export const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

/** `undefined` for what is not there. */
export function missing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined
  throw new RuntimeError(
    'storage_error',
    'Reading the agents folder failed: the file system reported an error, see the cause. Check the permissions of the folder.',
    { cause: error },
  )
}

/** What is wrong with this one file: the others of its folder may well be read. */
const ofOneFile: readonly unknown[] = ['EACCES', 'EPERM', 'ELOOP']

/** `undefined` for a file that is not there, or why it cannot be read. */
export function barred(error: unknown): { readonly problem: string } | undefined {
  const code = codeOf(error)
  return ofOneFile.includes(code) ? { problem: `it cannot be read (${String(code)})` } : missing(error)
}

const codes: readonly unknown[] = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']

/** Whether the machine has run out of something for now: that says nothing about what was asked of it. */
export function isResourceExhausted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && codes.includes(error.code)
}

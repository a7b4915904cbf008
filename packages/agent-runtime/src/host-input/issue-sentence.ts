import type * as z from 'zod/mini'

/** A message that is the rest of a sentence about its field. */
const isPredicate = /^(?:must|is|has|needs) /

/** Says what is wrong with a field, which is quoted. @param root stands for an issue without a field */
export function issueSentence({ path, message }: z.core.$ZodIssue, root: string): string {
  const subject = path.length === 0 ? root : `"${path.join('.')}"`
  return isPredicate.test(message) ? `${subject} ${message}` : `${subject}: ${message}`
}

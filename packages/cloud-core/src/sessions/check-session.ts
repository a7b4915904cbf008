import { grants } from '@homeward/contract'
import { must, required, text } from '@homeward/kit'
import { checkOptions } from '../context/check-options.ts'
import type { Session } from '../ports/sessions.ts'

const attempt = 'Authenticating the caller by sessions.resolve()'
const maxActorLength = 512
const rules = {
  // Whom nobody names would share everything with all others whom nobody names.
  userId: required(text),
  actor: must(
    `be a string of 1 to ${maxActorLength} characters`,
    (value) => typeof value === 'string' && value !== '' && value.length <= maxActorLength,
  ),
  may: must(`be a list of ${grants.join(', ')}`, isListOfGrants),
}

/**
 * Checks what the host's session mechanism returned.
 *
 * @throws {TypeError} that names the field, if the host returned something that is not a session.
 */
export function checkSession(session: Session): void {
  const { userId, actor, may } = session
  checkOptions(attempt, { userId, actor, may }, rules)
}

function isListOfGrants(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => (grants as readonly unknown[]).includes(each))
}

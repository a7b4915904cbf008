import { grants } from '@homeward/contract'
import { checkTexts } from '../context/check-settings.ts'
import type { Session } from '../ports/sessions.ts'

const attempt = 'Authenticating the caller by sessions.resolve()'
const maxActorLength = 512

/**
 * Checks what the host's session mechanism returned.
 *
 * @throws {TypeError} that names the field, if the host returned something that is not a session.
 */
export function checkSession(session: Session): void {
  // Whom nobody names would share everything with all others whom nobody names.
  checkTexts(attempt, session, ['userId'])
  const { actor, may }: { readonly actor?: unknown; readonly may?: unknown } = session
  if (actor !== undefined && !(typeof actor === 'string' && actor !== '' && actor.length <= maxActorLength))
    throw new TypeError(`${attempt} failed: "actor" must be a string of 1 to ${maxActorLength} characters.`)
  if (may !== undefined && !isListOfGrants(may))
    throw new TypeError(`${attempt} failed: "may" must be a list of ${grants.join(', ')}.`)
}

function isListOfGrants(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => (grants as readonly unknown[]).includes(each))
}

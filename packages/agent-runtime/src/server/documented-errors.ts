import { HttpError, type RequestView } from '@homeward/contract/handler'
import { toHttpError } from './platform-errors.ts'

/** The same handlers, whose errors are those of the interface. */
export function withDocumentedErrors<Handlers extends object>(
  handlers: Handlers,
  onError: (error: unknown) => void,
): Handlers {
  const toError = (request: RequestView, error: unknown) =>
    isGone(request, error) ? callerGone() : toDocumented(error, onError)
  const settle = async (reply: unknown, request: RequestView) => {
    try {
      return await reply
    } catch (error) {
      throw toError(request, error)
    }
  }
  const wrapped = Object.entries(handlers).map(([id, handle]) => {
    // each takes the call of its own operation; all calls have a request
    const call = handle as (call: { readonly request: RequestView }) => unknown
    return [
      id,
      // not async: while a handler works, nothing else holds the body of its call
      (given: { readonly request: RequestView }) => {
        try {
          return settle(call(given), given.request)
        } catch (error) {
          throw toError(given.request, error)
        }
      },
    ] as const
  })
  return Object.fromEntries(wrapped) as unknown as Handlers // the same keys, and functions that give the same
}

/** The caller gets the message; what caused it is for the operator. */
export function toDocumented(error: unknown, onError: (error: unknown) => void): unknown {
  const known = toHttpError(error)
  if (known !== error && known instanceof HttpError && known.status >= 500) onError(error)
  return known
}

/** Whether a call was given up because its caller went away: nobody reads the answer, and nothing is wrong here. */
function isGone({ signal }: RequestView, error: unknown): boolean {
  return signal.aborted && error === signal.reason
}

const callerGone = () => new HttpError(499, { error: 'The client closed the connection', code: 'cancelled' })

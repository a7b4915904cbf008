import { CustomId, RunSourceInput } from '@homeward/contract/agent-platform'
import { validationError, type RequestView } from '@homeward/contract/handler'

/**
 * A request with the key of its body, or else with that of its header.
 *
 * @throws {HttpError} 400 for a header that is no key: cut short, two keys could become the same.
 */
export function withIdempotencyKey<Body extends { idempotency_key?: string | undefined }>(
  body: Body,
  request: RequestView,
): Body {
  const key = request.header('idempotency-key')
  if (body.idempotency_key !== undefined || key === undefined) return body
  if (CustomId.safeParse(key).success) return { ...body, idempotency_key: key }
  throw validationError('Idempotency-Key: must be 1 to 200 characters without control characters')
}

/**
 * How the caller says that it starts a run, by the header `X-Homeward-Source`.
 *
 * @throws {HttpError} 400 for another value than the documented ones.
 */
export function sourceOf(request: RequestView): { readonly source: RunSourceInput } {
  const given = request.header('x-homeward-source')
  const known = RunSourceInput.options.find((each) => each === (given ?? 'api'))
  if (known !== undefined) return { source: known }
  throw validationError(`X-Homeward-Source: must be one of ${RunSourceInput.options.join(', ')}`)
}

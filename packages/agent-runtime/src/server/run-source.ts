import { RunSourceInput } from '@homeward/contract/agent-platform'
import { validationError, type RequestView } from '@homeward/contract/handler'

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

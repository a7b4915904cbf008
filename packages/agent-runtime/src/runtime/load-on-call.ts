import { RuntimeError } from '../ports/runtime-error.ts'

type Methods = Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>

/**
 * Stands for a service until it is needed: importing the package and creating a runtime then cost next to nothing.
 *
 * @param name of the service, for errors.
 * @param texts for each method its leading parameters that are texts: without types, an id is easily undefined.
 */
export function loadOnCall(
  name: string,
  load: () => Promise<object>,
  texts: Readonly<Record<string, readonly string[]>>,
): Methods {
  const standIns = Object.entries(texts).map(([method, names]) => {
    const call = async (...given: readonly unknown[]) => {
      assertTexts(`${name}.${method}`, names, given)
      return ((await load()) as Methods)[method]?.(...given) // the table names the methods of the service
    }
    return [method, call] as const
  })
  return Object.fromEntries(standIns)
}

function assertTexts(method: string, names: readonly string[], given: readonly unknown[]): void {
  for (const [place, name] of names.entries()) {
    if (typeof given[place] === 'string') continue
    throw new RuntimeError('validation_error', `Calling ${method} failed: "${name}" must be a string.`)
  }
}

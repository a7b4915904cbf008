/** Methods of a service that is loaded by the first call. All of them must be asynchronous. */
type AsyncMethod = (...given: never[]) => Promise<unknown>

/**
 * Stands for a service until it is needed: importing the package and creating a runtime then cost next to nothing.
 *
 * @param names every method of the service; one that is left out does not compile.
 */
export function lazyService<Service extends Readonly<Record<keyof Service, AsyncMethod>>>(
  load: () => Promise<Service>,
  names: Readonly<Record<keyof Service, true>>,
): Service {
  const methods = (Object.keys(names) as (keyof Service)[]).map((name) => {
    return [name, async (...given: never[]) => (await load())[name](...given)] as const
  })
  return Object.fromEntries(methods) as unknown as Service // one method for each name, which takes and gives the same
}

import { checkCall, type Parameters } from '../host-input/check-call.ts'

/** Methods of a service that is loaded by the first call. All of them must be asynchronous. */
type AsyncMethod = (...given: never[]) => Promise<unknown>

/**
 * Stands for a service until it is needed: importing the package and creating a runtime then cost next to nothing. What
 * its methods are given is checked here, for nothing else stands before them in a host's program.
 *
 * @param name of the service, as errors have it.
 * @param methods every method of the service with what it takes; one that is left out does not compile.
 */
export function lazyService<Service extends Readonly<Record<keyof Service, AsyncMethod>>>(
  name: string,
  load: () => Promise<Service>,
  methods: Readonly<Record<keyof Service & string, Parameters>>,
): Service {
  const entries = Object.entries<Parameters>(methods).map(([method, parameters]) => {
    const call = async (...given: never[]) => {
      checkCall(`${name}.${method}`, parameters, given)
      return (await load())[method as keyof Service](...given) // a key of the service's own table
    }
    return [method, call] as const
  })
  return Object.fromEntries(entries) as unknown as Service // one method for each name, which takes and gives the same
}

/** Everything that an object can do, bound to it: it may be an instance of a class, whose methods a spread does not see. */
export function verbsOf<Subject extends object>(subject: Subject): Subject {
  const found: Record<string, unknown> = {}
  for (const name of namesOf(subject)) {
    const value: unknown = subject[name as keyof Subject]
    found[name] = typeof value === 'function' ? value.bind(subject) : value
  }
  return found as Subject // all of it, by the same names
}

/** Names of an object and of what it inherits, but for what every object has. */
function namesOf(object: object | null): string[] {
  if (object === null || object === Object.prototype) return []
  const inherited = namesOf(Object.getPrototypeOf(object) as object | null) // that is what a prototype is
  const own = Object.getOwnPropertyNames(object).filter((name) => name !== 'constructor')
  return [...new Set([...own, ...inherited])]
}

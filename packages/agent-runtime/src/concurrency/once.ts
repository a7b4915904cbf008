/** Makes something at the first call; again when that failed. `begun` gives what was made, without making it. */
export function once<T>(make: () => Promise<T>) {
  let made: Promise<T> | undefined
  const get = () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    }))
  const begun = async () => made?.catch(() => undefined)
  return Object.assign(get, { begun })
}

const form =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/

// zod's own wants seconds before an offset, as RFC 3339 does. ISO 8601 does not, and some clocks leave out what is zero.
/** Whether it is ISO 8601, and a date that there is. */
export function isTimestamp(value: string): boolean {
  const [, year, month, day] = form.exec(value) ?? []
  return Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
}

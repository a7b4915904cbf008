/**
 * Milliseconds of the processor that this thread takes for some work. Whatever else the machine does meanwhile does not
 * count, so a limit holds where it is busy too.
 */
export async function threadCpuMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

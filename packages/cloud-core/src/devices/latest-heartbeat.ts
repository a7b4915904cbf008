/** The later of two heartbeats; a stored one behind `latest` is not believed and gives way. */
export function latestHeartbeat(stored: string | null, beat: string, latest: string): string {
  return stored === null || stored < beat || stored > latest ? beat : stored
}

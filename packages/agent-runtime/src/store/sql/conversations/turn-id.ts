/** Id of a message of a run's turn: what `ConversationAppend.turnOf` promises. */
export const toTurnId = (runId: string, index: number) => `${runId}.${index}`

/**
 * Begins a transaction. Without the time limit, a process that is stopped in the middle would hold up all others for as
 * long as it is stopped.
 */
export const begin = 'begin; set local idle_in_transaction_session_timeout = 5000'

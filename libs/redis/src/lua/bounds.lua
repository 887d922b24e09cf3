return {
  -- Grants a ticket gets in one step, and the most that is owed to one in the fair order.
  QUANTUM = 8,
  -- As many calls as a ticket may have.
  ALL = 255,
  -- A ticket whose process is later than this holds nobody up.
  GRACE_US = 20000,
  -- Grants a ticket gets in one step where nobody waits: to hold any of them back would serve nobody.
  UNCONTENDED = 64,
}

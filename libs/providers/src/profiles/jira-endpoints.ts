/** Endpoints of Jira Cloud. Each counts its calls a second by itself, for each method and tenant; ids do not matter. */

/** The site of a tenant, or `https://api.atlassian.com/ex/jira/<cloudId>`. */
const ROOT = '/{ex/jira/:cloudId/}rest';
const API = `${ROOT}/api/:version`;
const ISSUE = `${API}/issue/:issue`;

/** What looks as if it were about one issue: before those that are. */
const MANY = {
  getCreateMeta: `GET ${API}/issue/createmeta{/*rest}`,
  pickIssues: `GET ${API}/issue/picker`,
  archiveIssues: `PUT ${API}/issue/archive`,
  unarchiveIssues: `PUT ${API}/issue/unarchive`,
  setProperties: `POST ${API}/issue/properties{/*rest}`,
  putProperties: `PUT ${API}/issue/properties/*rest`,
  deleteProperties: `DELETE ${API}/issue/properties/*rest`,
} as const;

/** Those that the page names, with their calls a second. */
const NAMED = {
  getIssue: [`GET ${ISSUE}`, 150],
  getChangelog: [`GET ${ISSUE}/changelog`, 200],
  getUser: [`GET ${API}/user`, 150],
  getComponents: [`GET ${API}/component`, 200],
  updateComponent: [`PUT ${API}/component/:id`, 500],
  getProjectRole: [`GET ${API}/project/:project/role/:id`, 200],
  getAttachment: [`GET ${API}/attachment/content/:id`, 300],
  getThumbnail: [`GET ${API}/attachment/thumbnail/:id`, 200],
  getIssueTypeProperties: [`GET ${API}/issuetype/:type/properties`, 200],
  getIssueTypeProperty: [`GET ${API}/issuetype/:type/properties/:key`, 300],
  getSecurityScheme: [`GET ${API}/issuesecurityschemes/:id`, 200],
  countIssues: [`POST ${API}/search/approximate-count`, 150],
  evaluateExpression: [`POST ${API}/expression/evaluate`, 150],
  getCustomers: [`GET ${ROOT}/servicedeskapi/servicedesk/:desk/customer`, 5],
} as const;

/** Those with the number of their method that are called most. */
const USUAL = {
  searchIssues: `GET ${API}/search/jql`,
  searchIssuesByPost: `POST ${API}/search/jql`,
  fetchIssues: `POST ${API}/issue/bulkfetch`,
  createIssue: `POST ${API}/issue`,
  createIssues: `POST ${API}/issue/bulk`,
  linkIssues: `POST ${API}/issueLink`,
  getComments: `GET ${ISSUE}/comment`,
  getWorklogs: `GET ${ISSUE}/worklog`,
  getTransitions: `GET ${ISSUE}/transitions`,
  searchProjects: `GET ${API}/project/search`,
  getProject: `GET ${API}/project/:project`,
  findUsers: `GET ${API}/user/search`,
  getGroupMembers: `GET ${API}/group/member`,
  getMyself: `GET ${API}/myself`,
  getFields: `GET ${API}/field`,
  getBoardIssues: `GET ${ROOT}/agile/:version/board/:board/issue`,
  getSprintIssues: `GET ${ROOT}/agile/:version/sprint/:sprint/issue`,
} as const;

/** Writes to one issue; those that have no name here share one count by their method. */
const TO_ONE_ISSUE = {
  editIssue: `PUT ${ISSUE}`,
  deleteIssue: `DELETE ${ISSUE}`,
  assignIssue: `PUT ${ISSUE}/assignee`,
  transitionIssue: `POST ${ISSUE}/transitions`,
  addComment: `POST ${ISSUE}/comment`,
  updateComment: `PUT ${ISSUE}/comment/:id`,
  deleteComment: `DELETE ${ISSUE}/comment/:id`,
  addWorklog: `POST ${ISSUE}/worklog`,
  addAttachment: `POST ${ISSUE}/attachments`,
  postToIssue: `POST ${ISSUE}/*rest`,
  putToIssue: `PUT ${ISSUE}/*rest`,
  deleteFromIssue: `DELETE ${ISSUE}/*rest`,
} as const;

/** All others of a method share one count, which is on the safe side. */
const OTHERS = {
  reads: `GET ${ROOT}/*rest`,
  creations: `POST ${ROOT}/*rest`,
  changes: `PUT ${ROOT}/*rest`,
  deletions: `DELETE ${ROOT}/*rest`,
} as const;

const named = Object.entries(NAMED).map(([name, [template]]) => [name, template] as const);

/** In the order in which a request is compared with them. */
export const ROUTES: Readonly<Record<string, string>> = {
  ...MANY,
  ...Object.fromEntries(named),
  ...USUAL,
  ...TO_ONE_ISSUE,
  ...OTHERS,
};

/** They change nothing, whatever their method. */
export const ASKED_BY_POST = ['searchIssuesByPost', 'fetchIssues', 'countIssues', 'evaluateExpression'] as const;

export const ISSUE_WRITES: readonly string[] = Object.keys(TO_ONE_ISSUE);

/** Calls a second of each endpoint: its own number, or that of its method. */
export function perSecondOf(route: string, readsAndCreations: number, changesAndDeletions: number): number {
  if (Object.hasOwn(NAMED, route)) return NAMED[route as keyof typeof NAMED][1];
  return /^(?:GET|POST) /.test(ROUTES[route] ?? '') ? readsAndCreations : changesAndDeletions;
}

//! Options of the subcommands. Options without value are listed too, so that their prefixes are recognised.

use crate::options::Spec;

pub(super) const RESET: Spec = Spec::new("", "quiet no-refresh refresh mixed soft hard merge keep recurse-submodules=? patch \
     intent-to-add pathspec-from-file= pathspec-file-nul");

pub(super) const CHECKOUT: Spec = Spec::new("b:B:t::U:", "quiet guess no-guess overlay recurse-submodules=? progress merge conflict= detach \
     track=? force orphan= overwrite-ignore ignore-other-worktrees ours theirs patch \
     ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul unified= \
     inter-hunk-context=");

pub(super) const SWITCH: Spec = Spec::new("c:C:t::", "create= force-create= guess discard-changes quiet recurse-submodules=? progress \
     merge conflict= detach track=? force orphan= overwrite-ignore \
     ignore-other-worktrees");

pub(super) const RESTORE: Spec = Spec::new("s:U:", "source= staged worktree ignore-unmerged overlay quiet recurse-submodules=? progress \
     merge conflict= ours theirs patch ignore-skip-worktree-bits pathspec-from-file= \
     pathspec-file-nul unified= inter-hunk-context=");

pub(super) const CLEAN: Spec = Spec::new("e:", "quiet dry-run force interactive exclude=");

pub(super) const RM: Spec = Spec::new("", "dry-run quiet cached force ignore-unmatch sparse pathspec-from-file= \
     pathspec-file-nul");

pub(super) const ADD: Spec = Spec::new("U:", "all update force dry-run patch edit intent-to-add chmod= pathspec-from-file= \
     unified=");

pub(super) const APPLY: Spec = Spec::new("p:C:", "exclude= include= directory= whitespace= build-fake-ancestor= check stat numstat \
     summary cached apply");

pub(super) const MV: Spec = Spec::new("", "verbose dry-run force sparse");

pub(super) const WORKTREE: Spec = Spec::new("b:B:", "force reason= expire= detach orphan lock");

pub(super) const READ_TREE: Spec = Spec::new("", "reset prefix= index-output= dry-run");

pub(super) const CHECKOUT_INDEX: Spec = Spec::new("", "force all prefix= stage= stdin");

pub(super) const BRANCH: Spec = Spec::new("u:t::", "verbose quiet track=? set-upstream-to= unset-upstream color=? remotes contains= \
     no-contains= abbrev=? all delete move omit-empty copy list show-current \
     create-reflog edit-description force merged=? no-merged=? column=? sort= points-at= \
     ignore-case recurse-submodules format=");

pub(super) const TAG: Spec = Spec::new("n::m:F:u:", "list delete verify annotate message= file= trailer= edit sign cleanup= local-user= \
     force create-reflog column=? contains= no-contains= merged=? no-merged=? omit-empty \
     sort= points-at= format= color=? ignore-case");

pub(super) const REFLOG: Spec = Spec::new("", "expire= expire-unreachable= rewrite updateref stale-fix dry-run verbose all \
     single-worktree");

pub(super) const GC: Spec = Spec::new("", "quiet prune=? cruft cruft-expiration= max-cruft-size= aggressive auto detach force \
     keep-largest-pack expire-to= unpack-unreachable=");

pub(super) const UPDATE_REF: Spec = Spec::new("m:", "no-deref stdin create-reflog delete");

pub(super) const SYMBOLIC_REF: Spec = Spec::new("m:", "delete quiet short recurse");

pub(super) const PRUNE: Spec = Spec::new("", "dry-run verbose progress expire= exclude-promisor-objects");

pub(super) const REPLACE: Spec = Spec::new("l:", "list delete edit graft convert-graft-file force raw format=");

pub(super) const COMMIT: Spec = Spec::new("F:m:c:C:t:S::u::U:", "quiet verbose file= author= date= message= reedit-message= reuse-message= fixup= \
     squash= reset-author trailer= signoff template= edit cleanup= status gpg-sign=? all \
     include interactive patch only no-verify verify dry-run short branch ahead-behind \
     porcelain long null amend no-post-rewrite untracked-files=? pathspec-from-file= \
     pathspec-file-nul allow-empty allow-empty-message unified=");

pub(super) const MERGE: Spec = Spec::new("s:X:m:F:S::", "stat summary log=? squash commit edit cleanup= ff ff-only rerere-autoupdate \
     verify-signatures strategy= strategy-option= message= file= into-name= verbose \
     quiet abort quit continue allow-unrelated-histories progress gpg-sign=? autostash \
     overwrite-ignore signoff no-verify verify");

pub(super) const AM: Spec = Spec::new("C:p:S::", "interactive no-verify verify 3way quiet signoff utf8 keep keep-non-patch message-id \
     keep-cr scissors quoted-cr= whitespace= directory= exclude= include= patch-format= \
     reject resolvemsg= continue resolved skip abort quit show-current-patch=? retry \
     allow-empty gpg-sign=? empty=");

pub(super) const PICK: Spec = Spec::new("m:X:S::", "quit continue abort skip cleanup= no-commit commit edit signoff mainline= \
     rerere-autoupdate strategy= strategy-option= gpg-sign=? ff allow-empty \
     allow-empty-message keep-redundant-commits empty= reference");

pub(super) const REBASE: Spec = Spec::new("C:S::x:r::s:X:", "onto= keep-base no-verify verify quiet verbose no-stat stat signoff \
     committer-date-is-author-date reset-author-date ignore-whitespace whitespace= \
     force-rebase no-ff ff continue skip abort quit edit-todo show-current-patch apply \
     merge interactive rerere-autoupdate empty= autosquash update-refs gpg-sign=? \
     autostash exec= rebase-merges=? fork-point strategy= strategy-option= root \
     reschedule-failed-exec reapply-cherry-picks");

pub(super) const FILTER_BRANCH: Spec = Spec::first("d:", "setup= env-filter= tree-filter= index-filter= parent-filter= msg-filter= \
     commit-filter= tag-name-filter= subdirectory-filter= original= state-branch= \
     prune-empty remap-to-ancestor force");

pub(super) const FILTER_REPO: Spec = Spec::new("", "force dry-run analyze path= source= target=");

pub(super) const PUSH: Spec = Spec::new("o:", "verbose quiet repo= all branches mirror delete tags dry-run porcelain force \
     force-with-lease=? force-if-includes recurse-submodules= thin receive-pack= exec= \
     set-upstream progress prune no-verify verify follow-tags signed=? atomic \
     push-option= ipv4 ipv6");

pub(super) const REMOTE: Spec = Spec::new("t:m:", "mirror=? push add delete dry-run prune tags");

pub(super) const FETCH: Spec = Spec::new("j:o:", "verbose quiet all set-upstream append atomic upload-pack= force multiple tags jobs= \
     prefetch prune prune-tags recurse-submodules=? dry-run porcelain write-fetch-head \
     keep update-head-ok progress depth= shallow-since= shallow-exclude= deepen= \
     unshallow refetch update-shallow refmap= server-option= negotiation-tip= \
     negotiate-only filter= auto-maintenance auto-gc show-forced-updates \
     write-commit-graph stdin");

pub(super) const PULL: Spec = Spec::new("r::s:X:S::j:o:", "verbose quiet progress recurse-submodules=? rebase=? stat log=? signoff=? squash \
     commit edit cleanup= ff ff-only verify no-verify verify-signatures autostash \
     strategy= strategy-option= gpg-sign=? allow-unrelated-histories all append \
     upload-pack= force tags prune jobs= dry-run keep depth= shallow-since= \
     shallow-exclude= deepen= unshallow update-shallow refmap= server-option= \
     negotiation-tip= show-forced-updates set-upstream");

pub(super) const CLONE: Spec = Spec::new("j:o:b:u:c:", "verbose quiet progress reject-shallow no-checkout bare mirror local no-hardlinks \
     shared recurse-submodules=? recursive=? jobs= template= reference= \
     reference-if-able= dissociate origin= branch= revision= upload-pack= depth= \
     shallow-since= shallow-exclude= single-branch no-tags shallow-submodules \
     separate-git-dir= ref-format= config= server-option= filter= also-filter-submodules \
     remote-submodules sparse bundle-uri=");

pub(super) const PATCHES: Spec = Spec::new("o:v:n:U:", "output-directory= output= stdout start-number= to= cc= bcc= from= reroll-count= \
     subject-prefix= smtp-server= smtp-user= smtp-pass= smtp-encryption= in-reply-to= \
     dry-run base= signature= signature-file= sendmail-cmd= to-cmd= cc-cmd= header-cmd= \
     smtp-server-port= suffix= cover-letter compose annotate subject= reply-to= \
     envelope-sender=");

pub(super) const LS_REMOTE: Spec = Spec::new("o:", "upload-pack= exec= sort= server-option= tags heads branches refs quiet");

pub(super) const INIT: Spec = Spec::new("b:", "template= separate-git-dir= initial-branch= object-format= ref-format= shared=? \
     bare quiet");

pub(super) const SUBMODULE: Spec = Spec::first("", "recursive quiet");

pub(super) const SUBMODULE_UPDATE: Spec = Spec::new("j:", "force reference= depth= jobs= filter= init remote recursive checkout merge rebase \
     no-fetch");

pub(super) const SUBMODULE_DEINIT: Spec = Spec::new("", "force all");

pub(super) const SUBMODULE_ADD: Spec = Spec::new("b:", "branch= force name= reference= ref-format= depth=");

pub(super) const ARCHIVE: Spec = Spec::new("o:l", "format= prefix= add-file= add-virtual-file= output= remote= exec= list \
     worktree-attributes mtime=");

pub(super) const BUNDLE: Spec = Spec::new("", "version= progress all");

pub(super) const CONFIG: Spec = Spec::new("f:", "global system local worktree file= blob= get get-all get-regexp get-urlmatch \
     replace-all add unset unset-all rename-section remove-section list edit get-color \
     get-colorbool type= bool int bool-or-int bool-or-str path expiry-date null \
     name-only show-names includes show-origin show-scope default= comment= fixed-value \
     value= append all regexp url=");

pub(super) const DIFF: Spec = Spec::new("n:S:G:O:L:U:l:", "output= max-count= skip= since= after= until= before= author= committer= grep= \
     format= date= diff-filter= ext-diff no-ext-diff inter-hunk-context= unified= \
     output-indicator-new= src-prefix= dst-prefix=");

pub(super) const BLAME: Spec = Spec::new("L:S:", "since= ignore-rev= ignore-revs-file= contents= date=");

pub(super) const GREP: Spec = Spec::new("C:B:A:f:e:m:O::", "open-files-in-pager=? max-depth= threads= context= max-count=");

pub(super) const DIFFTOOL: Spec = Spec::new("t:x:O:", "tool= extcmd= gui dir-diff prompt no-prompt");

pub(super) const HG: Spec = Spec::new("R:r:d:m:l:u:I:X:", "repository= cwd= config= rev= message= date= user= encoding= include= exclude= \
     clean force dry-run no-verify print all help logfile= dest= source= base=");

pub(super) const SVN: Spec = Spec::new("m:F:r:c:", "message= file= revision= username= password= depth= changelist= config-dir= \
     config-option= recursive remove-unversioned remove-ignored force dry-run");

pub(super) const JJ: Spec = Spec::new("R:r:m:b:f:t:s:d:", "repository= at-operation= config= config-file= color= revision= revisions= message= \
     bookmark= remote= from= to= change= dry-run deleted all into=");

pub(super) const FOSSIL: Spec = Spec::new("m:R:", "comment= repository= dry-run");

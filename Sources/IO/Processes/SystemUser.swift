internal import CLinux

/// Who we are to the kernel.
package enum SystemUser {
  package static var isRoot: Bool { adit_user_id() == 0 }
}

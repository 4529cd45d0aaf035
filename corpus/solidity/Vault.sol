// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./Owned.sol";
import {Math, Other as Alias} from "./Math.sol";

interface IVault {
    function close(uint256 amount) external returns (bool);
}

library Sum {
    function add(uint256 a, uint256 b) internal pure returns (uint256) {
        return a + b;
    }
}

/// A vault. token.transfer(to) in a comment is no call.
contract Vault is Owned, IVault {
    using Sum for uint256;

    uint256 public constant LIMIT = 10;
    mapping(address => uint256) private balances;
    address payable owner;
    bool closed = false;

    struct Entry {
        uint256 amount;
        address from;
    }

    enum Level { Low, High }

    event Deposited(address indexed from, uint256 amount);
    error Closed(uint256 at);

    modifier onlyOwner() {
        require(msg.sender == owner, "token.transfer(to)");
        _;
    }

    constructor(address payable first) Owned(first) {
        owner = first;
    }

    function close(uint256 amount) external override onlyOwner returns (bool) {
        if (closed) revert Closed(block.timestamp);
        if (amount > LIMIT) {
            revert("too much");
        }
        for (uint256 i = 0; i < amount; i++) {
            balances[msg.sender] += i;
        }
        while (amount > 0) amount -= 1;
        try Other(owner).stop(amount /* all of it */) returns (bool done) {
            closed = done;
        } catch Error(string memory reason) {
            emit Deposited(msg.sender, amount);
        } catch {
            closed = true;
        }
        (bool ok, ) = owner.call{value: amount}("");
        require(ok, "failed");
        Entry memory entry = Entry({amount: amount, from: msg.sender});
        delete balances[entry.from];
        unchecked {
            amount++;
        }
        return ok ? true : amount == amount;
    }

    receive() external payable {}
}
